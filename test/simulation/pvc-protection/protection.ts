import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Process } from "../../harness/simulated/process.ts";
import type { Truth } from "../invariants/invariant.ts";
import { environmentOf } from "../liveness/liveness-check.ts";
import { hasEnded, inTree, names, type PodLike } from "./may-run.ts";

// What invariants and liveness checks of PVC protection go by: the simulation's own words, not those of the rules that
// it judges.

/** The annotation in which release says who holds a claim. */
export const progress = "holdfast.dev/pvc-protection.release";

const usual = "holdfast.dev/pvc-protection";

/** The finalizer that a process is set to keep. */
export const finalizerOf = ({ environment }: Process) => environment.FINALIZER ?? usual;

/** Whether a process is set to remove Kubernetes' own finalizer as well. */
const decidesAlone = ({ environment }: Process) => (environment.IN_TREE ?? "present") !== "present";

/** The finalizers that a process may take away. */
export const removable = (process: Process): readonly string[] => [
  finalizerOf(process),
  ...(decidesAlone(process) ? [inTree] : []),
];

/** The finalizer that is ours in the run's setting. */
export const ours = ({ scenario }: Pick<Truth, "scenario">) => scenario.setting.finalizer ?? usual;

/** Whether a bound pod uses a claim, as the setting's mode has it. */
export function isUsed(
  truth: Truth,
  claim: KubernetesObject,
  mode = environmentOf(truth, "pvc-protection-release").MODE,
) {
  return truth.history.live("Pod").some((object) => {
    const pod = object as PodLike;
    return pod.spec.nodeName !== undefined && names(pod, claim) && !(mode === "document" && hasEnded(pod));
  });
}
