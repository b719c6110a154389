import createClient from "openapi-fetch";

import type { components, paths } from "./schema.js";

export type { components, paths };

/** Return a client of the operations that an API key reaches. */
export function leadwright(baseUrl: string, key: string) {
  return createClient<paths>({ baseUrl, headers: { apikey: key } });
}

/** Upload one file, and return its record. Throws the failure. */
export async function upload(
  api: ReturnType<typeof leadwright>,
  content: Blob,
  name: string,
): Promise<components["schemas"]["FileOut"]> {
  const form = new FormData();
  form.append("file", content, name);
  // The form replaces the body, whose type knows files as text alone.
  const { data, error } = await api.POST("/api/key/protected/upload", {
    body: { file: [] },
    bodySerializer: () => form,
  });
  if (error) throw error;
  return Array.isArray(data.data) ? data.data[0]! : data.data;
}
