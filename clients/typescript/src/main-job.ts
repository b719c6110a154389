/**
 * Run the main job: upload, import, draft, approve, read the log.
 *
 * node dist/main-job.js https://crm.example.com KEY "name,email…" TAG_ID
 */
import { leadwright, upload } from "./client.js";

declare const process: { argv: string[] };
const [base, key, rows, tag] = process.argv.slice(2) as [string, string, string, string];
const api = leadwright(base, key);

/** Return the data of an answer. Throws the failure. */
function succeeded<Answer>({ data, error }: { data?: Answer; error?: unknown }): Answer {
  if (data === undefined) throw error;
  return data;
}

/** Read until it is as wanted. Throws after three minutes. */
async function wait<Value>(read: () => Promise<Value>, isReady: (found: Value) => boolean): Promise<Value> {
  for (let turn = 0; turn < 180; turn++) {
    const found = await read();
    if (isReady(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error("not ready after three minutes");
}

const file = await upload(api, new Blob([rows], { type: "text/csv" }), "contacts.csv");
const made = succeeded(
  await api.POST("/api/key/protected/contact/import", {
    body: { importType: "contact", fileId: file._id, tags: [tag], pauseImport: false },
  }),
).data;
const imported = await wait(
  async () =>
    succeeded(
      await api.GET("/api/key/protected/contact/import/{id}", { params: { path: { id: made.import._id } } }),
    ).data,
  (found) => ["completed", "failed", "cancelled"].includes(found.status),
);

const run = succeeded(
  await api.POST("/api/key/protected/genie/from-contacts", {
    params: { header: { "Idempotency-Key": `webinar-${file._id}` } },
    body: { tags: [tag], prompt: "Invite them to our webinar on Tuesday", draft: true },
  }),
).data;
const query = { p: 1, n: 100, filters: JSON.stringify({ run: run._id }) };
await wait(
  async () => succeeded(await api.GET("/api/key/protected/genie/send-jobs", { params: { query } })).totalCount,
  (count) => count === imported.created,
);
const approved = succeeded(
  await api.POST("/api/key/protected/genie/{schedulerId}/approve-all", { params: { path: { schedulerId: run._id } } }),
).data.changedCount;
const sent = await wait(
  async () => {
    const entries = succeeded(await api.GET("/api/key/protected/logs/smtp", { params: { query } })).data;
    return entries.filter((entry) => entry.status === "sent").length;
  },
  (count) => count === approved,
);
console.log(JSON.stringify({ created: imported.created, approved, sent }));
