import { traceHeaders } from "../spans.ts";

/** The headers of an incoming request that a broker hands on to its subscribers. */
export function passedThrough(headers: Readonly<Record<string, string>>): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name in headers) {
    const passes =
      name === "x-request-id" ||
      name === "retry-after" ||
      name.startsWith("knative-") ||
      name.startsWith("x-b3-") ||
      traceHeaders.has(name);
    if (passes) passed[name] = headers[name] as string;
  }
  return passed;
}
