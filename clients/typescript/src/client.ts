import createClient from "openapi-fetch";

import type { components, paths } from "./schema.js";

export type { components, paths };

/** Return a client of the operations that an API key reaches. */
export function leadwright(baseUrl: string, key: string) {
  return createClient<paths>({ baseUrl, headers: { apikey: key } });
}
