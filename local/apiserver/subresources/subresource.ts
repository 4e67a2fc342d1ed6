import { notImplemented } from "../failure.ts";
import type { Answer } from "../request/answer.ts";
import type { ObjectCall } from "../request/call.ts";
import type { State } from "../state.ts";
import { bind } from "./binding.ts";
import { evict } from "./eviction.ts";
import { finalize } from "./finalize.ts";
import { getScale, patchScale, updateScale } from "./scale.ts";
import { requestToken } from "./token-request.ts";

/** A call to a subresource other than `status`. */
export function subresourceCall(state: State, call: ObjectCall): Answer {
  const { resource, subresource, verb } = call;
  switch (subresource) {
    case "binding":
      return bind(state, call);
    case "eviction":
      return evict(state, call);
    case "finalize":
      return finalize(state, call);
    case "token":
      return requestToken(state, call);
    case "scale":
      if (resource.custom) break;
      if (verb === "get") return getScale(state, call);
      return verb === "update" ? updateScale(state, call) : patchScale(state, call);
  }
  throw notImplemented(`the subresource ${subresource} of ${resource.plural}`);
}
