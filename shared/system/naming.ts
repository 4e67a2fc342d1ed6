import { ApiError } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import type { Kind } from "../kubernetes/kind.ts";
import { SystemError } from "./system-error.ts";

/**
 * A client that says that a system is away where a patch of one of its objects is not answered, so that the object that
 * waits for it names it: the system's own webhook may be away while all can be read.
 */
export function naming(system: string, isIts: (kind: Kind) => boolean, client: Client): Client {
  const named = (kind: Kind, name: string) => (error: unknown) => {
    if (!isIts(kind) || !isUnanswered(error)) throw error;
    throw new SystemError(system, "unreachable", `${kind.kind} ${name} could not be changed: ${error.message}`, {
      cause: error,
    });
  };
  return {
    get: (...all) => client.get(...all),
    list: (...all) => client.list(...all),
    create: (...all) => client.create(...all),
    patch: (kind, namespace, name, ...rest) =>
      client.patch<never>(kind, namespace, name, ...rest).catch(named(kind, name)),
    delete: (...all) => client.delete(...all),
    request: (...all) => client.request(...all),
  };
}

/** The API server did not answer, or a webhook did not answer it. */
const isUnanswered = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);
