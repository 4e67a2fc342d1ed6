import type { ApiRequest } from "../../../shared/kubernetes/transport.ts";
import { badRequest, notImplemented } from "../failure.ts";
import type { State } from "../state.ts";
import { StatusError } from "../status-error.ts";
import type { Attributes } from "./attributes.ts";
import { authorize } from "./authorize.ts";
import { administrator, anonymous, groupsOfAccount, type Identity } from "./identity.ts";
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

/**
 * Whom a request is to count as: another user where it says so, as `kubectl --as` does, and where its sender may
 * `impersonate` them and each group that is named. Throws 403 otherwise.
 */
export function impersonate(state: State, sender: Identity, { headers }: ApiRequest): Identity {
  const user = headers["impersonate-user"];
  const named = headers["impersonate-group"]?.split(", ") ?? [];
  const more = Object.keys(headers).find((name) => /^impersonate-(uid|extra-)/.test(name));
  if (!user) {
    if (named.length === 0 && !more) return sender;
    throw badRequest("a group, an uid or an extra is to be impersonated, but no user");
  }
  if (more) throw notImplemented(`the header ${more}`);
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? undefined;
  const wanted: Omit<Attributes, "verb" | "group">[] = [
    account
      ? { resource: "serviceaccounts", namespace: account[1] as string, name: account[2] as string }
      : { resource: "users", name: user },
    ...named.map((name) => ({ resource: "groups", name })),
  ];
  for (const attributes of wanted) authorize(state, sender, { verb: "impersonate", group: "", ...attributes });
  if (user === anonymous.user) return anonymous;
  const groups = named.length === 0 && account ? groupsOfAccount(account[1] as string) : named;
  return { user, groups: [...new Set([...groups, "system:authenticated"])] };
}
