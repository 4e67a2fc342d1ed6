import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import { reviewAccess } from "./access.ts";

/** POST of a review: a question that is answered and not kept. */
export function review(state: State, call: Call): Answer {
  const { apiVersion, kind } = call.resource;
  const asked = readObject(call, call.resource);
  const status = kind === "SelfSubjectReview" ? whoAsks(call) : reviewAccess(state, call, asked);
  return { type: "object", status: 201, object: { ...asked, kind, apiVersion, status } };
}

function whoAsks({ user: { user, groups, uid } }: Call): object {
  return { userInfo: { username: user, ...(uid ? { uid } : {}), groups } };
}
