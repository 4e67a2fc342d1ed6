import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { StrategicMergeError } from "../../../shared/kubernetes/strategic-merge/directive.ts";
import { type MergeType, strategicMerge as merge } from "../../../shared/kubernetes/strategic-merge/merge.ts";
import { badRequest } from "../failure.ts";
import { remember } from "../remember.ts";
import type { Schema } from "../schema/schema.ts";
import { memberType, resolve, typeOf } from "../schema/type.ts";
import { StatusError } from "../status-error.ts";
import { copyOf } from "./copy.ts";

/**
 * Applies a strategic merge patch to an object of a built-in kind and returns the patched object; the target is not
 * touched. A directive that is not known is refused with 400, where the API server would drop it as an unknown field;
 * what its library cannot apply is a 500 without a reason, as there.
 *
 * Custom resources have no strategic merge patch: the caller answers 415 before it comes to this.
 */
export function strategicMerge(kind: Kind, live: Fields, patch: unknown): Fields {
  if (patch === null) return live;
  if (!isFields(patch)) throw badRequest("error decoding patch: it is no object");
  try {
    return merge(copyOf(live), copyOf(patch), mergeTypeOf(typeOf(kind)));
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    throw error.why === "refused" ? badRequest(error.message) : new StatusError(500, "", error.message);
  }
}

const mergeTypeOf = remember((schema: Schema): MergeType => {
  const type = resolve(schema);
  return {
    strategy: type["x-kubernetes-patch-strategy"],
    key: type["x-kubernetes-patch-merge-key"],
    // Read late, because types may contain themselves.
    get items() {
      return type.items && mergeTypeOf(type.items);
    },
    member: (name) => {
      const member = memberType(type, name);
      return member && mergeTypeOf(member);
    },
  };
});
