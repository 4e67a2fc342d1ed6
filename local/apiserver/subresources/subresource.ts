import { notImplemented } from "../failure.ts";
import type { Answer } from "../request/answer.ts";
import type { ObjectCall } from "../request/call.ts";
import type { State } from "../state.ts";
import { bind } from "./binding.ts";
import { evict } from "./eviction.ts";
import { finalize } from "./finalize.ts";
import { scaleCall } from "./scale.ts";
import { requestToken } from "./token-request.ts";

const calls: Readonly<Record<string, (state: State, call: ObjectCall) => Answer>> = {
  binding: bind,
  eviction: evict,
  finalize,
  token: requestToken,
  scale: scaleCall,
};

/** What answers a call to a subresource other than `status`. */
export const subresourceCall = (subresource: string) => {
  const call = calls[subresource];
  if (!call) throw notImplemented(`the subresource ${subresource}`);
  return call;
};
