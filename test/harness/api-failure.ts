import type { ApiResponse } from "../../shared/kubernetes/transport.ts";

/** A failure as an API server words it, for faults: `apiFailure(409, "Conflict")`. */
export function apiFailure(
  status: number,
  reason: string,
  headers: Record<string, string> = {},
  message = "a fault",
): ApiResponse {
  const body = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    code: status,
  };
  async function* text() {
    yield JSON.stringify(body);
  }
  return { status, headers: { "content-type": "application/json", ...headers }, body: text() };
}
