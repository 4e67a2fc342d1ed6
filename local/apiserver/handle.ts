import type { ApiRequest, ApiResponse } from "../../shared/kubernetes/transport.ts";
import { authenticate } from "./auth/authenticate.ts";
import { authorizeCall, authorizePath } from "./auth/authorize.ts";
import { notServed } from "./failure.ts";
import { nonResource } from "./non-resource.ts";
import { encode, encodeFailure, once, respond } from "./representation/encode.ts";
import type { Answer } from "./request/answer.ts";
import { type Call, callOf, type ObjectCall } from "./request/call.ts";
import { parsePath } from "./request/parse.ts";
import type { State } from "./state.ts";
import { subresourceCall } from "./subresources/subresource.ts";
import { create } from "./verbs/create.ts";
import { remove, removeCollection } from "./verbs/delete.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";

/** Answers one request. What it does to the store is done before the first `await`, so that requests never interleave. */
export async function handle(state: State, request: ApiRequest): Promise<ApiResponse> {
  try {
    const mark = request.path.indexOf("?");
    const path = mark < 0 ? request.path : request.path.slice(0, mark);
    const query = new URLSearchParams(mark < 0 ? "" : request.path.slice(mark + 1));
    const user = authenticate(state, request);
    const wanted = parsePath(path);
    if (!wanted || !isKnown(state, wanted)) {
      authorizePath(state, user, request.method, path);
      return (await nonResource(state, request, path)) ?? respond(404, plain, once("404 page not found\n"));
    }
    const call = callOf(state, wanted, query, request, user);
    authorizeCall(state, call);
    return encode(state, call, answer(state, call));
  } catch (error) {
    return encodeFailure(error);
  }
}

const plain = "text/plain; charset=utf-8";

/** Groups that nobody has ever heard of are plain pages that are not found; the rest answers with a Status. */
const isKnown = (state: State, { group }: { group: string }) => group === "" || state.resources.hasGroup(group);

function answer(state: State, call: Call): Answer {
  if (call.subresource && call.subresource !== "status") return subresourceCall(state, call as ObjectCall);
  switch (call.verb) {
    case "get":
      return get(state, call as ObjectCall);
    case "list":
      return list(state, call);
    case "watch":
      return watch(state, call);
    case "create":
      return create(state, call);
    case "update":
      return update(state, call as ObjectCall);
    case "patch":
      return patch(state, call as ObjectCall);
    case "delete":
      return remove(state, call as ObjectCall);
    case "deletecollection":
      return removeCollection(state, call);
  }
  throw notServed();
}
