import { SystemError, type SystemFailure } from "../../../../shared/system/system-error.ts";
import { describeEntry, type Entry } from "./entry.ts";
import { codes } from "./ret-code.ts";

/**
 * LINSTOR has answered a request with errors. What it was asked may have been done all the same, wholly or in part:
 * after a command only a fresh read tells.
 */
export class LinstorError extends SystemError {
  /** The whole answer in its order, successes included. */
  readonly entries: readonly Entry[];
  readonly status: number;

  constructor(request: string, status: number, entries: readonly Entry[]) {
    const errors = entries.filter(({ severity }) => severity === "error");
    const words = errors.map(describeEntry).join("; ") || "it gave no reason";
    super("LINSTOR", failureOf(status, errors), `LINSTOR answered ${request} with ${status}: ${words}.`, {
      answered: true,
    });
    this.entries = entries;
    this.status = status;
  }
}

/** Whether LINSTOR has answered with an error of this code. */
export function isLinstorError(error: unknown, code: number): boolean {
  return (
    error instanceof LinstorError && error.entries.some((entry) => entry.severity === "error" && entry.code === code)
  );
}

/**
 * What depends on the state of nodes and resources passes by itself (in use, connected, gone meanwhile, a satellite's
 * trouble), and is asked again. What was asked wrongly, or exists already, does not.
 */
function failureOf(status: number, errors: readonly Entry[]): SystemFailure {
  const within = (from: number, to: number) =>
    errors.some(({ code }) => code >= from && code < to && !passing.has(code));
  if (status === 401 || status === 403 || within(400, 500)) return "unauthorized";
  const wrong = within(200, 300) || within(500, 600) || within(codes.unreadableRequest, codes.unreadableRequest + 1);
  // A 404 that names no object is a path that LINSTOR does not have.
  return wrong || (status === 404 && !within(300, 400)) || status === 405 ? "refused" : "unreachable";
}

/** A node that has resources in use, and one that is still connected. */
const passing = new Set<number>([codes.nodeInUse, codes.nodeConnected]);
