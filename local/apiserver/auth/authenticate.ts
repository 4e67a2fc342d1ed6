import type { ApiRequest } from "../../../shared/kubernetes/transport.ts";
import type { State } from "../state.ts";
import { StatusError } from "../status-error.ts";
import { administrator, anonymous, type Identity } from "./identity.ts";

/** Who sends a request, by its bearer token. Throws 401 for a token that nobody holds. */
export function authenticate({ tokens }: State, { headers }: ApiRequest): Identity {
  const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (!tokens) return administrator;
  if (token === undefined) return anonymous;
  const known = tokens.get(token);
  if (!known) throw new StatusError(401, "Unauthorized", "Unauthorized");
  return known;
}
