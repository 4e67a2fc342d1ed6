import type { ApiRequest, ApiResponse } from "../../shared/kubernetes/transport.ts";
import { attributesOf, nameSelectedBy } from "./auth/attributes.ts";
import { authenticate, impersonate } from "./auth/authenticate.ts";
import { authorize, authorizePath } from "./auth/authorize.ts";
import { notImplemented } from "./failure.ts";
import { nonResource } from "./non-resource.ts";
import { formOf } from "./representation/accept.ts";
import { encode, encodeFailure, once, respond } from "./representation/encode.ts";
import type { Answer } from "./request/answer.ts";
import { type Call, callOf, type ObjectCall, type Verb, verbOf } from "./request/call.ts";
import { parsePath } from "./request/parse.ts";
import { review } from "./reviews/review.ts";
import type { State } from "./state.ts";
import { bind } from "./subresources/binding.ts";
import { evict } from "./subresources/eviction.ts";
import { finalize } from "./subresources/finalize.ts";
import { scaleCall } from "./subresources/scale.ts";
import { requestToken } from "./subresources/token-request.ts";
import { remove, removeCollection } from "./verbs/delete.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { create, update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";

/**
 * Answers one request. What it does to the store is done before the first `await`, so that requests never interleave.
 */
export async function handle(state: State, request: ApiRequest): Promise<ApiResponse> {
  try {
    const mark = request.path.indexOf("?");
    const path = mark < 0 ? request.path : request.path.slice(0, mark);
    const query = new URLSearchParams(mark < 0 ? "" : request.path.slice(mark + 1));
    const user = impersonate(state, authenticate(state, request), request);
    const wanted = parsePath(path);
    if (!wanted) {
      authorizePath(state, user, { verb: pathVerbs[request.method], path });
      return (await nonResource(state, request, path)) ?? nothing();
    }
    const verb = verbOf(request.method, wanted, query);
    authorize(state, user, { ...nameSelectedBy(verb, query), ...attributesOf(verb, wanted) });
    if (!state.resources.hasGroup(wanted.group)) return nothing();
    const call = callOf(state, wanted, query, request, user);
    // Nothing is done for a client that could not read the answer.
    formOf(request.headers.accept);
    return encode(state, call, answer(state, call));
  } catch (error) {
    return encodeFailure(error);
  }
}

const pathVerbs = { GET: "get", POST: "post", PUT: "put", PATCH: "patch", DELETE: "delete" } as const;

/** Where even the group is unknown there is a plain page; the rest answers with a Status. */
const nothing = () => respond(404, "text/plain; charset=utf-8", once("404 page not found\n"));

const isReview = ({ resource }: Call) => !resource.custom && resource.kind.endsWith("Review");

const verbs: Readonly<Record<Verb, (state: State, call: ObjectCall) => Answer>> = {
  get,
  list,
  watch,
  create: (state, call) => (isReview(call) ? review(state, call) : create(state, call)),
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** What answers calls to subresources other than `status`. */
const subresources: Readonly<Record<string, (state: State, call: ObjectCall) => Answer>> = {
  binding: bind,
  eviction: evict,
  finalize,
  token: requestToken,
  scale: scaleCall,
};

/** A call without a name comes to those alone that need none. */
function answer(state: State, call: Call): Answer {
  const { subresource = "status" } = call;
  const run = subresource === "status" ? verbs[call.verb] : subresources[subresource];
  if (!run) throw notImplemented(`the subresource ${subresource}`);
  return run(state, call as ObjectCall);
}
