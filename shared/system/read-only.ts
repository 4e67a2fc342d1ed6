import type { ExternalSystem } from "./system.ts";
import type { SystemTransport } from "./transport.ts";

/**
 * The transport of a system, for people who only ask: it sends what changes nothing, and rejects everything else
 * unsent.
 */
export function readOnlyTransport(
  { name, onlyReads }: Pick<ExternalSystem, "name" | "onlyReads">,
  transport: SystemTransport,
): SystemTransport {
  return async (request) => {
    if (request.method === "GET" || onlyReads?.(request)) return transport(request);
    throw new Error(
      `${request.method} ${request.path.split("?")[0]} would change something in ${name}, and is not sent`,
    );
  };
}
