import { badRequest, conflict } from "../failure.ts";
import { fieldsAt, objectIn, specOf } from "../kinds/fields.ts";
import { setCondition } from "../kinds/pod.ts";
import { copyOf } from "../patch/copy.ts";
import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { ObjectCall } from "../request/call.ts";
import { resource } from "../resource.ts";
import { type State, timestamp } from "../state.ts";
import { success } from "../verbs/delete.ts";
import { live } from "../verbs/get.ts";
import { replaceObject } from "../write/replace.ts";

const binding = resource("v1", "Binding", "bindings");

/** POST to `pods/binding`: what a scheduler does. A pod is bound once. */
export function bind(state: State, call: ObjectCall): Answer {
  const { name, resource } = call;
  const asked = readObject(call, binding);
  if (asked.metadata.name !== name) throw badRequest("name in URL does not match name in Binding object");
  const { name: node } = fieldsAt(asked, "target");
  const before = live(state, call);
  const refuse = (why: string) => conflict({ ...resource, plural: "pods/binding" }, name, why);
  const { uid, deletionTimestamp } = before.object.metadata;
  if (asked.metadata.uid && asked.metadata.uid !== uid) throw refuse(`its uid is ${uid}, not ${asked.metadata.uid}`);
  if (deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  const { nodeName } = specOf(before.object);
  if (nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`);

  const pod = copyOf(before.object);
  objectIn(pod, "spec").nodeName = node;
  setCondition(pod, { type: "PodScheduled", status: "True" }, timestamp(state));
  replaceObject(state, call, before, pod);
  return { type: "object", status: 201, object: success({ code: 201 }) };
}
