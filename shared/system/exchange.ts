import type { Clock } from "../clock.ts";
import { isUnsent } from "../http/send-request.ts";
import { withTimeout } from "../with-timeout.ts";
import { SystemError } from "./system-error.ts";
import type { SystemRequest, SystemResponse, SystemTransport } from "./transport.ts";

/** Sends one request to a system, and returns its answer with any status. */
export type Exchange = (request: Omit<SystemRequest, "signal">) => Promise<SystemResponse>;

/**
 * Puts a deadline (in milliseconds, for the whole answer) and one kind of error on a transport. A system that is half
 * up may take a request and never answer it (salt-api does while its master is down): whether it was carried out is not
 * known then.
 *
 * @param root where it is, for the error's sentence, if not at the one root that is set
 * @throws SystemError `unreachable` when there is no whole answer in time.
 */
export function exchangeWith(
  system: string,
  transport: SystemTransport,
  clock: Clock,
  deadline: number,
  root?: string,
): Exchange {
  const where = root ? `${system} at ${root}` : system;
  return async (request) => {
    const abort = new AbortController();
    const late = () => {
      const error = new Error(`it did not answer within ${deadline / 1000} s`);
      abort.abort(error);
      return error;
    };
    try {
      return await withTimeout(clock, deadline, transport({ ...request, signal: abort.signal }), late);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message || cause.name : String(cause);
      throw new SystemError(
        system,
        "unreachable",
        `${where} could not be asked (${request.method} ${request.path.split("?")[0]}): ${why}. ` +
          `Look whether it runs, and whether the function may reach it.`,
        { cause, unsent: isUnsent(cause) },
      );
    }
  };
}
