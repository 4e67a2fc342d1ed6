import { Machine } from "../../functions/satellite/lib/kinds.ts";
import { hooksOn, isSeenDeleting, mayCarryHooks, readIdentity } from "../../functions/satellite/lib/machine.ts";
import { type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { objectsOf, useList } from "../api/use-list.ts";
import { ObjectLink } from "../parts/object-link.tsx";

/** The Machine of a satellite that leaves, with those of Holdfast's hooks that are left on it. */
export function MachineOf({ satellite }: { readonly satellite: KubernetesObject }) {
  // Of this cluster. Those of another management cluster are not among them.
  const machines = useList(Machine);
  const identity = readIdentity(satellite);
  const object = objectsOf(machines).find(
    ({ metadata }) => metadata.namespace === identity?.namespace && metadata.name === identity?.name,
  );
  if (object)
    return (
      <p>
        {object.metadata.deletionTimestamp ? "Its Machine is being deleted: " : "Its Machine: "}
        <ObjectLink to={referenceTo(object)} />. {hooksInWords(object)}
      </p>
    );
  if (!identity || !isSeenDeleting(satellite) || !mayCarryHooks(satellite)) return null;
  return (
    <p>
      The Machine {identity.name} waits until Holdfast removes its hooks. Which of them it still has cannot be seen here
      {machines.is === "refused" && `: ${machines.message}`}.
    </p>
  );
}

/** Which of Holdfast's two hooks hold a Machine, as a sentence. */
export function hooksInWords(object: KubernetesObject): string {
  const { preDrain, preTerminate } = hooksOn({ object });
  const left = [...(preDrain ? ["pre-drain"] : []), ...(preTerminate ? ["pre-terminate"] : [])];
  if (left.length === 0) return "It has no hook of Holdfast.";
  return `Of Holdfast's hooks it has ${left.join(" and ")}.`;
}
