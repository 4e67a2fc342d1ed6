import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { objectIn, specOf, statusOf } from "../kinds/fields.ts";
import { copyOf } from "../patch/copy.ts";
import type { Answer } from "../request/answer.ts";
import { readObject } from "../request/body.ts";
import type { ObjectCall } from "../request/call.ts";
import { resource } from "../resource.ts";
import type { State } from "../state.ts";
import { StatusError } from "../status-error.ts";
import type { Stored } from "../store/stored.ts";
import { checkNames } from "../verbs/check-names.ts";
import { live } from "../verbs/get.ts";
import { decodePatched, patched, patchType } from "../verbs/patch.ts";
import { checkUid } from "../verbs/update.ts";
import { updateObject } from "../write/update-object.ts";

const scale = resource("autoscaling/v1", "Scale", "scales");

/** How many replicas are wanted and how many there are, the same for every workload. */
export function scaleCall(state: State, call: ObjectCall): Answer {
  if (call.verb === "get") return { type: "object", status: 200, object: scaleOf(live(state, call)) };
  return call.verb === "update" ? updateScale(state, call) : patchScale(state, call);
}

function updateScale(state: State, call: ObjectCall): Answer {
  const wanted = readObject(call, scale);
  checkNames(call, wanted);
  const before = live(state, call);
  checkUid(call, before, wanted);
  return setReplicas(state, call, before, wanted);
}

/** PATCH of `scale`, by the three types of patch that are no apply. */
function patchScale(state: State, call: ObjectCall): Answer {
  const before = live(state, call);
  const type = patchType(call);
  if (type === "apply") throw new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  const asScale: ObjectCall = { ...call, resource: scale };
  const wanted = decodePatched(asScale, patched(asScale, type, scaleOf(before)));
  return setReplicas(state, call, before, wanted);
}

function setReplicas(state: State, call: ObjectCall, before: Stored, wanted: KubernetesObject): Answer {
  const { replicas = 0 } = specOf(wanted);
  const next = copyOf(before.object);
  objectIn(next, "spec").replicas = replicas;
  next.metadata.resourceVersion = wanted.metadata.resourceVersion;
  next.metadata.uid = wanted.metadata.uid;
  return { type: "object", status: 200, object: scaleOf(updateObject(state, call, before, next)) };
}

function scaleOf({ object }: Stored): KubernetesObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { replicas } = specOf(object);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      uid,
      resourceVersion,
      ...(creationTimestamp ? { creationTimestamp } : {}),
    },
    spec: replicas ? { replicas } : {},
    status: { replicas: statusOf(object).replicas ?? 0 },
  };
}
