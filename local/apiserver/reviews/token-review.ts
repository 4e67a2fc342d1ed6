import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { identityOf } from "../auth/authenticate.ts";
import type { Identity } from "../auth/identity.ts";
import { ownAudience } from "../auth/service-account-token.ts";
import { specOf } from "../kinds/fields.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";

const userInfo = ({ user, groups, uid }: Identity) => ({ username: user, ...(uid ? { uid } : {}), groups });

/** `kubectl auth whoami`. */
export const reviewSelf = ({ user }: Call): object => ({ userInfo: userInfo(user) });

/** Whom a token stands for, asked by somebody who was shown it. */
export function reviewToken(state: State, asked: KubernetesObject): object {
  const { token, audiences } = specOf(asked);
  const wanted = Array.isArray(audiences) && audiences.length > 0 ? audiences.map(String) : [ownAudience];
  const holder = identityOf(state, String(token ?? ""), wanted);
  if (!holder) return { user: {}, error: "invalid bearer token" };
  return { authenticated: true, user: userInfo(holder), audiences: wanted };
}
