import { notImplemented } from "../failure.ts";
import type { Answer } from "../request/answer.ts";
import type { ObjectCall } from "../request/call.ts";
import type { State } from "../state.ts";

/** A call to a subresource other than `status`. */
export function subresourceCall(_state: State, { resource, subresource }: ObjectCall): Answer {
  throw notImplemented(`the subresource ${subresource} of ${resource.plural}`);
}
