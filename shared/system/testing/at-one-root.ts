import type { SystemTools } from "../system.ts";
import type { SystemTransport } from "../transport.ts";

/** The transports of a system that is at the root that is set, and nowhere else. */
export function atOneRoot(transport: SystemTransport): Pick<SystemTools<unknown>, "transport" | "transportTo"> {
  return { transport, transportTo: (root) => () => Promise.reject(new Error(`nothing listens at ${root}`)) };
}
