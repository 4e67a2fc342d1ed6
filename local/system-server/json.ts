import type { SystemResponse } from "../../shared/system/transport.ts";

/** An answer of a stand-in that is data. */
export const json = (body: unknown, status = 200): SystemResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
