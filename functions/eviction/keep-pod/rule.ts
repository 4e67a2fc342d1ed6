import { about } from "../../../shared/about.ts";
import { orAway } from "../../../shared/chain/away.ts";
import type { Decision } from "../../../shared/decision.ts";
import { objectsIn } from "../../../shared/event/objects-in.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { conditionOf } from "../../../shared/kubernetes/condition.ts";
import { conditionWrites } from "../../../shared/kubernetes/condition-writes.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on, rule } from "../../../shared/rule.ts";
import { poll, resync } from "../../../shared/sweep.ts";
import { agentsIn, createPod, deletePod, hasEnded, isOutdated } from "../lib/agent-pod.ts";
import { damageOf, readRecord } from "../lib/compute-node.ts";
import { type Dependent, findDependent } from "../lib/dependent.ts";
import { unsettled } from "../lib/evacuation.ts";
import { lookAtHost, otherCompute } from "../lib/host.ts";
import { mayKeepPods } from "../lib/kept-pods.ts";
import { dependents, kindOf, NovaComputeNode } from "../lib/kinds.ts";
import { conditions, finalizerOf } from "../lib/names.ts";
import { hasLock, lockOf, maintenanceOf } from "../lib/node-lock.ts";
import { openstack } from "../lib/openstack/system.ts";
import { mayLabelNodes, mayRecordEvents, onEach } from "../lib/permissions.ts";
import { type HostFacts, isEmpty } from "../lib/plan.ts";
import { convergedReport } from "../lib/report.ts";
import type { DependentObject } from "../lib/schema.ts";
import { common } from "../lib/settings.ts";
import { admits, isComing, saidByKeepPod, whyWithoutPod } from "../lib/without-pod.ts";

export const keepPod = rule({
  name: "eviction/keep-pod",
  doc: "Keeps the pod of a resource on its Node, which must be locked and labelled False. Never deletes the pod.",
  settings: common,
  common,
  systems: { openstack },
  triggers: [...dependents.map((kind) => on(kind, ["update"])), on(Pod, ["delete"])],
  permissions: [
    ...onEach(dependents, { verbs: ["get"], why: "to read the template of its pod, and whether it is to be there" }),
    { resource: Node, verbs: ["get"], why: "to see whether the lock and the label on the Node let the pod come" },
    mayLabelNodes("to add the label by which another operator's pods come"),
    { resource: Pod, verbs: ["get", "list"], why: "to see whether its pod is there, and whether it has ended" },
    ...mayKeepPods(
      dependents,
      [conditions.converged, conditions.enabled, conditions.requiresRecreation],
      "to create its pod, and to delete a pod that has ended so that it is created again",
    ),
    mayRecordEvents,
  ],
  // No event is sent when a pod has ended: kubelets write pods all the time.
  sweep: dependents.flatMap((kind) => [resync(kind), poll(kind, "1h")]),
  subjects: (hint) => [...objectsIn(hint, dependents), ...agentsIn(hint, dependents)],
  look: async (subject, { client, openstack, settings }): Promise<readonly Facts[]> => {
    const found = await findDependent(subject, { client, settings });
    return Promise.all(
      found.map(async (resource) => {
        const hard = recordOf(resource)?.hard;
        const mayBeLeft = mayHaveLostPod(resource);
        const look = () => lookAtHost(openstack.nova, resource.object);
        const looked = hard || mayBeLeft ? await orAway(look) : { read: undefined };
        const host = "read" in looked ? looked.read : undefined;
        // A hard eviction was called off: only a start of nova-compute removes what it has of evacuated servers.
        const isToSettle = !resource.isApproved && hard !== undefined && host?.service.isForcedDown === true;
        const isLeft = mayBeLeft && host !== undefined && (!isEmpty(host) || isToSettle);
        const isOther = host && otherCompute(resource.object, host) !== undefined;
        return { resource, isLeft, forced: hard ? { host: isOther ? undefined : host } : undefined };
      }),
    );
  },
  decide: (found: readonly Facts[], now) => found.flatMap((facts) => decide(facts, now)),
});

interface Facts {
  readonly resource: Dependent;
  /** No pod runs, none may come by the label, and Nova says that the host is not empty. */
  readonly isLeft: boolean;
  /** Holdfast has forced nova-compute down, and what Nova has of the host, as far as it says so. */
  readonly forced: { readonly host: HostFacts | undefined } | undefined;
}

/** Why nova-compute must not start, as a sentence: it would delete what it has of servers that are evacuated. */
function heldDown({ forced, resource }: Facts): string | undefined {
  const { wanted, isApproved } = resource;
  // It was let back.
  if (!forced || forced.host?.service.isForcedDown === false) return undefined;
  if (isApproved && (wanted === "go" || wanted === "clear"))
    return "The servers of this host are being evacuated, so Holdfast does not create its pod.";
  if (!forced.host) return "Whether the evacuations are complete is not known, so Holdfast does not create the pod.";
  return unsettled(forced.host, recordOf(resource));
}

/** Only an eviction may take the pod of a host away, so that Nova is asked whether servers are there. */
function mayHaveLostPod({ object, node, pods, unmanaged, wanted }: Dependent): boolean {
  // Others take over what an agent of Neutron serves while it is away.
  if (object.kind !== NovaComputeNode.kind) return false;
  const isAdmitted = wanted !== "go" && node && maintenanceOf(node) === "False";
  if (unmanaged || isAdmitted || !node || !hasLock(node, lockOf(object))) return false;
  return hasFinalizer(object, finalizerOf(object)) && pods.every(hasEnded);
}

const recordOf = ({ object }: Dependent) => (object.kind === NovaComputeNode.kind ? readRecord(object) : undefined);

function decide(facts: Facts, now: number): readonly Decision[] {
  const { resource, isLeft } = facts;
  const { object, node, pods, inTheWay, unmanaged, wanted } = resource;
  const missing = whyWithoutPod(resource);
  const at = about(kindOf(object), object);
  const held = unmanaged ?? damageOf(object) ?? heldDown(facts);
  if (held) return [at.leave(held)];
  if (inTheWay) return [at.write(inTheWay, converged(resource, now))];
  const lock = lockOf(object);
  const label = object.spec.selector?.schedulingLabel;
  const [pod] = pods;
  if (isLeft && node) {
    if (pod && isBeingDeleted(pod)) return [at.wait("Its pod is being deleted, and is created again.")];
    // Read once more with the write: release-compute takes the lock off a host that is empty.
    const holds = (live: KubernetesObject | undefined) => live !== undefined && hasLock(live, lock);
    const preconditions = [{ kind: Node, namespace: undefined, name: node.metadata.name, holds }];
    const message = "The pod is created again: the host has servers, or nova-compute has to remove evacuated ones.";
    const back = label ? schedule(node, label) : [pod ? deletePod(pod) : createPod(object)];
    return [at.write(message, back, { preconditions })];
  }
  if (wanted === "go") return [at.leave("It is to leave its Node.")];
  if (missing && !isComing(resource)) return [at.write(missing, converged(resource, now))];
  const mayCome = (live: KubernetesObject | undefined) => admits(live, object);
  if (!mayCome(node) || !node || !hasFinalizer(object, finalizerOf(object)))
    return [at.leave("Its pod is on the Node, and stays.")];
  // Read once more behind the write: who sets the label to True has looked for our lock after that.
  const preconditions = [{ kind: Node, namespace: undefined, name: node.metadata.name, holds: mayCome }];
  const message = label
    ? `Holdfast keeps the label ${label.key}=${label.value} on the Node, so that the other operator creates pods there.`
    : "Its pod is created on the Node.";
  if (label) return [at.write(message, [...begins(object, now), ...schedule(node, label)])];
  if (!pod) return [at.write(message, [...begins(object, now), createPod(object)], { preconditions })];
  if (hasEnded(pod)) return [at.write("Its pod has ended, and is created again.", [deletePod(pod)])];
  return [at.write("Its pod is on the Node.", recreation(object, isOutdated(pod, object), now))];
}

const schedule = (node: KubernetesObject, { key, value }: { readonly key: string; readonly value: string }) =>
  node.metadata.labels?.[key] === value ? [] : [annotate(Node, node, {}, { [key]: value })];

/** Only where the rules of its eviction leave the condition to this one. */
function converged(resource: Dependent, now: number): readonly Write[] {
  const said = saidByKeepPod(resource);
  const { object } = resource;
  return said ? conditionWrites(kindOf(object), object, [convergedReport("Dependency", said)], now) : [];
}

/** Before a pod can come the first time: from then on servers may be on the host. */
function begins(object: DependentObject, now: number): readonly Write[] {
  if (conditionOf(object, conditions.enabled)) return [];
  const message = "Its pod is created on the Node.";
  const enabled = { type: conditions.enabled, status: "False", reason: "Starting", message };
  return conditionWrites(kindOf(object), object, [enabled], now);
}

/** A template that has changed is shown, and nothing more: one edit must not empty a cluster. */
function recreation(object: DependentObject, isNeeded: boolean, now: number): readonly Write[] {
  const { namespace, name } = object.metadata;
  const message = isNeeded
    ? "The template is newer than the pod. For a new pod, have Holdfast evict and delete this resource, with " +
      `\`kubectl delete --wait=false ${object.kind.toLowerCase()} -n ${namespace} ${name}\`. Then create it again.`
    : "";
  const type = conditions.requiresRecreation;
  const reason = isNeeded ? "TemplateChanged" : "AsWanted";
  return conditionWrites(kindOf(object), object, [{ type, status: isNeeded ? "True" : "False", reason, message }], now);
}
