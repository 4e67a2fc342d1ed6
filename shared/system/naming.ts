import { ApiError, isRefused, isWebhookAway } from "../kubernetes/api-error.ts";
import type { Client } from "../kubernetes/client.ts";
import type { Kind } from "../kubernetes/kind.ts";
import { SystemError, type SystemFailure } from "./system-error.ts";

const onRefusal =
  "If a right is missing, grant it to Holdfast's account there. If a webhook refuses it, change what it asks for.";

/** The API server did not answer, or a webhook did not answer it. A token that was rotated mends itself. */
const isUnanswered = ({ status }: ApiError) => status === 0 || status === 401 || status >= 500;

/**
 * A client that names a system where a patch of one of its objects is refused, or its failure says that it `isAway`, so
 * that the object that waits for it says so: all can be read while the system's own webhook is away, or rights are
 * missing.
 */
export function naming(
  system: string,
  isIts: (kind: Kind) => boolean,
  client: Client,
  isAway: (error: ApiError) => boolean = isUnanswered,
): Client {
  const named = (kind: Kind, name: string) => (error: unknown) => {
    if (!isIts(kind) || !(error instanceof ApiError)) throw error;
    const what = `${kind.kind} ${name} could not be changed: ${error.message}`;
    const failed = (failure: SystemFailure, message: string) =>
      new SystemError(system, failure, message, { cause: error });
    if (isAway(error)) throw failed("unreachable", what);
    if (isRefused(error)) throw failed("refused", `${what} ${onRefusal}`);
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

/**
 * A client that names Kubernetes where the API server, a policy or a webhook takes no patch of an object of these
 * kinds: what waits for it says so.
 */
export const namingRefused = (kinds: readonly Kind[], client: Client): Client =>
  naming("Kubernetes", ({ plural }) => kinds.some((one) => one.plural === plural), client, isWebhookAway);
