import type { ApiRequest } from "../../../shared/kubernetes/transport.ts";
import type { State } from "../state.ts";
import { StatusError } from "../status-error.ts";
import { administrator, anonymous, type Identity } from "./identity.ts";
import { holderOf, ownAudience } from "./service-account-token.ts";

/** Who sends a request, by its bearer token. Throws 401 for a token that belongs to no user. */
export function authenticate(state: State, { headers }: ApiRequest): Identity {
  const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (token === undefined) return state.tokens ? anonymous : administrator;
  const known = identityOf(state, token, [ownAudience]) ?? (state.tokens ? undefined : administrator);
  if (!known) throw new StatusError(401, "Unauthorized", "Unauthorized");
  return known;
}

/** Whom a token stands for towards any of the audiences. */
function identityOf(state: State, token: string, audiences: readonly string[]): Identity | undefined {
  const given = state.tokens?.get(token);
  if (given) return { ...given, groups: [...new Set([...given.groups, "system:authenticated"])] };
  const holder = holderOf(state, token);
  return holder?.audience.some((audience) => audiences.includes(audience)) ? holder.identity : undefined;
}
