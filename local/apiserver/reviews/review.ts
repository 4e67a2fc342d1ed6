import { notImplemented } from "../failure.ts";
import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import { reviewAccess, reviewOwnRules } from "./access.ts";
import { reviewSelf, reviewToken } from "./token-review.ts";

/** POST of a review: a question that is answered and not kept. */
export function review(state: State, call: Call): Answer {
  const { resource } = call;
  const asked = readObject(call, resource);
  const { apiVersion, kind } = resource;
  const answer = (status: object) => ({ ...asked, kind, apiVersion, status });
  switch (kind) {
    case "SelfSubjectAccessReview":
    case "SubjectAccessReview":
    case "LocalSubjectAccessReview":
      return { type: "object", status: 201, object: answer(reviewAccess(state, call, asked)) };
    case "SelfSubjectRulesReview":
      return { type: "object", status: 201, object: answer(reviewOwnRules(state, call, asked)) };
    case "SelfSubjectReview":
      return { type: "object", status: 201, object: answer(reviewSelf(call)) };
    case "TokenReview":
      return { type: "object", status: 201, object: answer(reviewToken(state, asked)) };
  }
  throw notImplemented(kind);
}
