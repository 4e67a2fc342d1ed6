import { badRequest } from "../failure.ts";
import { fieldsAt } from "../kinds/fields.ts";
import { setCondition } from "../kinds/pod.ts";
import { copyOf } from "../patch/copy.ts";
import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { ObjectCall } from "../request/call.ts";
import { optionsFrom } from "../request/delete-options.ts";
import { resource } from "../resource.ts";
import { type State, timestamp } from "../state.ts";
import { success } from "../verbs/delete.ts";
import { live } from "../verbs/get.ts";
import { checkPreconditions, deleteObject } from "../write/delete-object.ts";
import { replaceObject } from "../write/replace.ts";

const eviction = resource("policy/v1", "Eviction", "evictions");

/** POST to `pods/eviction`: a DELETE that leaves its reason on the pod. There are no disruption budgets here. */
export function evict(state: State, call: ObjectCall): Answer {
  const { resource, name } = call;
  const asked = readObject(call, eviction);
  if (asked.metadata.name !== name) throw badRequest("name in URL does not match name in Eviction object");
  const options = optionsFrom(call, fieldsAt(asked, "deleteOptions"));
  const dry: ObjectCall = { ...call, dryRun: options.dryRun };
  const pod = live(state, call);
  checkPreconditions(resource, pod, options);

  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const marked = copyOf(pod.object);
  if (!marked.metadata.deletionTimestamp) setCondition(marked, condition, timestamp(state));
  const stored = replaceObject(state, dry, pod, marked);
  const { resourceVersion, ...rest } = options;
  deleteObject(state, resource, stored, rest);
  return { type: "object", status: 201, object: success({ code: 201 }) };
}
