import * as z from "zod";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";
import { holdsField } from "../../../shared/retention/field-managers.ts";
import { lookAtSet, type SetAndClaims } from "../../../shared/retention/look-at-set.ts";
import { notedPolicy } from "../../../shared/retention/noted-policy.ts";
import { owningRule } from "../../../shared/retention/owner-references.ts";
import { projected, projectedStep } from "../../../shared/retention/projected.ts";
import { retentionInForce, type StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { hasTraces, isRetentionProgress, retentionFinalizer } from "../../../shared/retention/traces.ts";
import { on, rule, type Subject, type View } from "../../../shared/rule.ts";
import { cleanClaim } from "./clean-claim.ts";

/** The set with its claims; `undefined` when it is gone. Of a set that the rule leaves alone there are no claims. */
export type Facts = SetAndClaims | undefined;

export const forgive = rule({
  name: "pvc-retention/forgive",
  doc: "Takes away what the rules have left on a set's claims, once its policy keeps them all or is gone; never what others have put there.",
  settings: z.object({}),
  wakes: [on(Sets, ["update"]), on(PersistentVolumeClaim, ["update"])],
  may: [
    { resource: Sets, verbs: ["get", "list", "patch"] },
    { resource: Namespace, verbs: ["get"] },
    { resource: PersistentVolumeClaim, verbs: ["get", "list", "patch"] },
    // What OwnerReferencesPermissionEnforcement, which OpenShift switches on, asks of whoever changes owner references.
    { resource: PersistentVolumeClaim, verbs: ["delete"], overlay: "owner-references-enforced" },
    { resource: Pod, verbs: ["get", "list"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [{ kind: Sets }, { kind: PersistentVolumeClaim }],
  subjects,
  look,
  decide,
});

function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (change === "delete" || !namespace) return [];
  if (kind === "PersistentVolumeClaim") {
    if (!object) return [{ kind: PersistentVolumeClaim, namespace, name }];
    const set = setTiedBy(object);
    return set === undefined ? [] : [{ kind: Sets, namespace, name: set }];
  }
  const concerned = kind === "StatefulSet" && (!object || (hasTraces(object) && mayKeepAll(object)));
  return concerned ? [{ kind: Sets, namespace, name }] : [];
}

async function look({ kind, namespace, name = "" }: Subject, { client }: View<object>): Promise<Facts> {
  // A set that never had a policy has no traces: it costs two small reads.
  if (kind.kind === Sets.kind)
    return lookAtSet(
      client,
      namespace,
      name,
      (set, policy) => keepsAll({ set, policy }) && (policy !== undefined || hasTraces(set)),
    );
  const claim = await client.get(PersistentVolumeClaim, namespace, name, { metadataOnly: true });
  const set = claim && setTiedBy(claim);
  // Whoever replaces a set as a whole takes its traces along: what is left says so by itself.
  return set === undefined ? undefined : lookAtSet(client, namespace, set, (set, policy) => keepsAll({ set, policy }));
}

/** The set that a claim is tied to, by what own has noted on it. */
function setTiedBy(claim: KubernetesObject): string | undefined {
  if (isBeingDeleted(claim) || !readProgress(claim, owningRule)) return undefined;
  const { ownerReferences = [] } = claim.metadata;
  return ownerReferences.find(({ kind, controller }) => kind === Sets.kind && controller)?.name;
}

/** As far as an event shows: a set whose claims are to go with something has nothing that is to be taken away. */
const mayKeepAll = (set: KubernetesObject) => !isBeingDeleted(set) && (notedPolicy(set)?.name ?? "Retain") === "Retain";

const keepsAll = ({ set, policy }: Pick<SetAndClaims, "set" | "policy">) =>
  !isBeingDeleted(set) && (!policy || policy.name === "Retain");

function decide(facts: Facts): readonly Decision[] {
  if (!facts || !keepsAll(facts) || !isGivenBack(facts)) return [];
  const { set, policy, claims } = facts;
  const cleaned = claims.flatMap((claim) => cleanClaim(set, claim, policy) ?? []);
  // The set's own traces last: they are what brings us here again until every claim is done with.
  return cleaned.length === 0 && !policy ? cleanSet(set) : cleaned;
}

/**
 * Whether project has come before us: while the field still deletes what the policy keeps, Kubernetes' own controller would put
 * back what we take away. Its write is an update of the set and wakes us.
 */
function isGivenBack({ set, policy }: SetAndClaims): boolean {
  const step = projectedStep(set);
  const field = retentionInForce(set);
  const keeps = !field || (field.whenDeleted === "Retain" && field.whenScaled === "Retain");
  if (policy) return keeps;
  return (step === undefined || step === projected.givenBack) && (keeps || !holdsField(set));
}

function cleanSet(set: StatefulSet): readonly Decision[] {
  // Bequeath has yet to let it go, and writes down why it does not: that write would wake us, and ours bequeath, without end.
  if (hasFinalizer(set, retentionFinalizer)) return [];
  const traces = Object.keys(set.metadata.annotations ?? {}).filter(isRetentionProgress);
  if (traces.length === 0) return [];
  const because = `StatefulSet ${set.metadata.name} has no policy any more, and nothing is left on its claims: the rules forget it.`;
  const annotations = Object.fromEntries(traces.map((key) => [key, null]));
  return [{ about: set, kind: Sets, do: "write", because, writes: [annotate(Sets, set, annotations)] }];
}
