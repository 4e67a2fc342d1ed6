import { ApiError, isForbidden } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import type { Kind } from "../kubernetes/kind.ts";
import { SystemError, type SystemFailure } from "./system-error.ts";

const onRefusal =
  "If a right is missing, grant it to Holdfast's account there. If a webhook refuses it, change what it asks for.";

/**
 * A client that names a system where a patch of one of its objects is not answered or is refused, so that the object
 * that waits for it says so: all can be read while the system's own webhook is away, or rights are missing.
 */
export function naming(system: string, isIts: (kind: Kind) => boolean, client: Client): Client {
  const named = (kind: Kind, name: string) => (error: unknown) => {
    if (!isIts(kind) || !(error instanceof ApiError)) throw error;
    const what = `${kind.kind} ${name} could not be changed: ${error.message}`;
    const failed = (failure: SystemFailure, message: string) =>
      new SystemError(system, failure, message, { cause: error });
    // The API server did not answer, or a webhook did not answer it. A token that was rotated mends itself.
    if (error.status === 0 || error.status === 401 || error.status >= 500) throw failed("unreachable", what);
    if (isForbidden(error)) throw failed("refused", `${what} ${onRefusal}`);
    throw error;
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
