import { isDeepStrictEqual } from "node:util";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { labelProblems } from "../validation/names.ts";
import {
  type Cause,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../validation/status-cause.ts";
import { objectIn, objectsIn, setMissing, specOf, statusOf } from "./fields.ts";
import { defaultPodSpec } from "./pod-spec.ts";
import type { Strategy } from "./strategy.ts";

/** Pods: immutable but for a few fields, and the only kind that takes its time to go. */
export const podStrategy: Strategy = {
  generation: true,
  answersDeleted: true,

  defaults(pod) {
    const spec = objectIn(pod, "spec");
    defaultPodSpec(spec);
    setMissing(spec, { enableServiceLinks: true });
  },

  prepareCreate(pod) {
    const spec = objectIn(pod, "spec");
    // What the ServiceAccount admission plugin sets; no token is mounted, for nothing runs in these pods.
    setMissing(spec, { serviceAccountName: "default" });
    spec.serviceAccount = spec.serviceAccountName;
    pod.status = { phase: "Pending" };
  },

  prepareStatus(next, live) {
    const { ownerReferences } = live.metadata;
    if (ownerReferences) next.metadata.ownerReferences = ownerReferences;
    else delete next.metadata.ownerReferences;
  },

  validate(pod, live) {
    const spec = specOf(pod);
    if (live) return checkChange(spec, specOf(live));
    const containers = objectsIn(spec, "containers");
    const restart = restartPolicies.includes(`${spec.restartPolicy}`)
      ? []
      : [unsupportedValue("spec.restartPolicy", spec.restartPolicy, restartPolicies)];
    if (containers.length === 0) return [requiredValue("spec.containers"), ...restart];
    return [
      ...containers.flatMap(({ name, image }, index) => [
        ...containerNameCauses(`spec.containers[${index}].name`, name),
        ...(image ? [] : [requiredValue(`spec.containers[${index}].image`)]),
      ]),
      ...restart,
    ];
  },

  gracePeriod(pod, asked) {
    const { nodeName, terminationGracePeriodSeconds } = specOf(pod);
    const { phase } = statusOf(pod);
    if (!nodeName || phase === "Failed" || phase === "Succeeded") return 0;
    const period = asked ?? Number(terminationGracePeriodSeconds ?? 0);
    return period < 0 ? 1 : period;
  },
};

const restartPolicies = ["Always", "OnFailure", "Never"];

function containerNameCauses(field: string, name: unknown): Cause[] {
  if (!name) return [requiredValue(field)];
  return labelProblems(`${name}`).map((problem) => invalidValue(field, name, problem));
}

const immutable =
  "pod updates may not change fields other than " +
  "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only " +
  "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was " +
  "previously negative)";

const checkChange = (next: Fields, live: Fields): Cause[] =>
  isDeepStrictEqual(fixedPart(next), fixedPart(live)) ? [] : [forbiddenValue("spec", immutable)];

/** A pod's spec without what may change after its creation. */
function fixedPart(spec: Fields): Fields {
  const { activeDeadlineSeconds, tolerations, schedulingGates, ...rest } = spec;
  const fixed: Fields = { ...rest };
  for (const list of ["containers", "initContainers"]) {
    if (spec[list]) fixed[list] = objectsIn(spec, list).map(({ image, ...container }) => container);
  }
  if (Number(spec.terminationGracePeriodSeconds) < 0) fixed.terminationGracePeriodSeconds = 1;
  return fixed;
}

/** Sets a condition of a pod, in place; its transition time moves only with its status. */
export function setCondition(pod: KubernetesObject, condition: Fields, now: string): void {
  const status = objectIn(pod, "status");
  const conditions = objectsIn(status, "conditions");
  const known = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = known?.status === condition.status ? known?.lastTransitionTime : now;
  const changed = { lastProbeTime: null, ...condition, lastTransitionTime };
  status.conditions = known ? conditions.map((other) => (other === known ? changed : other)) : [...conditions, changed];
}
