import { notImplemented } from "../failure.ts";
import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import { reviewAccess } from "./access.ts";

/** POST of a review: a question that is answered and not kept. */
export function review(state: State, call: Call): Answer {
  const { resource } = call;
  const asked = readObject(call, resource);
  const { apiVersion, kind } = resource;
  const answer = (status: object): Answer => ({
    type: "object",
    status: 201,
    object: { ...asked, kind, apiVersion, status },
  });
  switch (kind) {
    case "SelfSubjectAccessReview":
    case "SubjectAccessReview":
      return answer(reviewAccess(state, call, asked));
    case "SelfSubjectReview": {
      const { user, groups, uid } = call.user;
      return answer({ userInfo: { username: user, ...(uid ? { uid } : {}), groups } });
    }
  }
  throw notImplemented(kind);
}
