import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { State } from "../state.ts";
import { groupsOfAccount, type IssuedToken } from "./identity.ts";

/** The audience of tokens that are good for the API server itself. */
export const ownAudience = "https://kubernetes.default.svc";

/**
 * Issues a token that looks like the JSON Web Token of a real cluster. It is not signed: the server knows its tokens by
 * heart, and no other program is to trust them.
 */
export function issueToken(
  { clock, random, issued }: State,
  { metadata }: KubernetesObject,
  seconds: number,
  audience: readonly string[] = [ownAudience],
): { token: string; audience: readonly string[]; expires: number } {
  const { name, namespace = "", uid } = metadata;
  const now = clock.now();
  for (const [old, known] of issued) if (known.expires <= now) issued.delete(old);
  const expires = now + seconds * 1000;
  const subject = `system:serviceaccount:${namespace}:${name}`;
  const claims = { aud: audience, exp: Math.floor(expires / 1000), jti: random.uuid(), sub: subject };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const token = `${part({ alg: "none", typ: "JWT" })}.${part(claims)}.`;
  const identity = { user: subject, groups: groupsOfAccount(namespace), uid };
  issued.set(token, { identity, namespace, name, audience, expires });
  return { token, audience, expires };
}

/** Whom a token stands for. `undefined` when it is unknown, too old, or its service account is gone or another one. */
export function holderOf({ clock, issued, store }: State, token: string): IssuedToken | undefined {
  const known = issued.get(token);
  if (!known) return undefined;
  const account = store.get("/serviceaccounts", `${known.namespace}/${known.name}`);
  if (known.expires > clock.now() && account?.object.metadata.uid === known.identity.uid) return known;
  issued.delete(token);
  return undefined;
}
