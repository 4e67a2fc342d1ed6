import { isDeepStrictEqual } from "node:util";
import { isBeingDeleted } from "../../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import type { Change } from "../../../harness/simulated/change.ts";
import { type Invariant, isBy, isClaim, leaving, type Truth } from "../../invariants/invariant.ts";
import {
  askedFor,
  fieldOf,
  holdersOf,
  isNamedAfter,
  missing,
  type Occasion,
  type SetLike,
  setsEver,
  statesOf,
  unseen,
  usersOf,
  wasUsedBy,
} from "../history.ts";

const ours = "pvc-retention";
/** Milliseconds in which the rules have followed what users ask for. */
const followed = ({ calm }: Truth) => (calm ? 10_000 : 240_000);
const occasions = ["whenDeleted", "whenScaled"] as const satisfies readonly Occasion[];

/** Whether the claim is asked to go with this change, or goes at once. */
const isDeletion = (change: Change): boolean =>
  isClaim(change) &&
  change.before !== undefined &&
  change.before.metadata.deletionTimestamp === undefined &&
  (change.after === undefined || change.after.metadata.deletionTimestamp !== undefined);

/**
 * No claim goes but by a field that said so, of a set that has used it: what turned to keeping a while ago holds,
 * and so does what no pod has ever used. What users have done themselves they answer for.
 */
const goesByTheField: Invariant = {
  name: "goes-by-the-field",
  check(change, truth) {
    if (!isDeletion(change) || change.by.name === "user") return undefined;
    // With its namespace everything goes, regardless of the sets.
    if (truth.history.live("Namespace").some(isBeingDeleted)) return undefined;
    const claim = change.before as KubernetesObject;
    const isRight = setsEver(truth).some(({ metadata: { uid } }) => {
      const deletes = statesOf(truth, uid, followed(truth)).some((set) =>
        occasions.some((one) => fieldOf(set, one) === "Delete"),
      );
      return deletes && wasUsedBy(truth, claim, uid);
    });
    return isRight ? undefined : `Claim ${claim.metadata.name} went, although nothing asks for that.`;
  },
};

/**
 * A claim is given only to a set that has used it and whose field and policy take it along, and to no set while
 * another's pod uses it.
 */
const tiesWhatWasUsed: Invariant = {
  name: "ties-what-was-used",
  check(change, truth) {
    const { before, after } = change;
    if (!isClaim(change) || !isBy(change, ours) || !before || !after) return undefined;
    for (const { uid, name, kind, controller, blockOwnerDeletion } of missing(after, before)) {
      const title = `Claim ${after.metadata.name} was given to ${kind} ${name}`;
      if (kind !== "StatefulSet" || !controller || blockOwnerDeletion !== false) return `${title}, in another form.`;
      if (!wasUsedBy(truth, after, uid)) return `${title}, no pod of which has ever used it.`;
      if (!statesOf(truth, uid).some((set) => fieldOf(set, "whenDeleted") === "Delete"))
        return `${title}, whose field keeps it.`;
      if (!wasAskedFor(change, truth, uid, "whenDeleted", followed(truth))) return `${title}, whose policy keeps it.`;
    }
    return undefined;
  },
};

const leavesWhatOthersUse: Invariant = {
  name: "leaves-what-others-use",
  check(change, truth) {
    const { before, after } = change;
    if (!isClaim(change) || !isBy(change, ours) || !before || !after || missing(after, before).length === 0)
      return undefined;
    const [user] = usersOf(truth, after);
    return user && `Claim ${after.metadata.name} was given away, while pod ${user.metadata.name} used it.`;
  },
};

/** References are taken off only if they say that a set controls the claim which has the name of its own. */
const sparesOthersReferences: Invariant = {
  name: "spares-others-references",
  check(change, truth) {
    const { before, after } = change;
    if (!isClaim(change) || !isBy(change, ours) || !before || !after) return undefined;
    const taken = missing(before, after).find(
      ({ uid, controller }) =>
        !controller || !setsEver(truth).some((set) => set.metadata.uid === uid && isNamedAfter(set, before)),
    );
    return taken && `Claim ${before.metadata.name} lost its owner ${taken.kind} ${taken.name} by our write.`;
  },
};

/**
 * The field is made to delete only where users have asked for it a moment ago, and no manager applies that it keeps.
 */
const fieldDeletesOnlyIfAsked: Invariant = {
  name: "field-deletes-only-if-asked",
  check(change, truth) {
    const { before, after, object } = change;
    if (!isBy(change, ours) || object.kind !== "StatefulSet" || !before || !after) return undefined;
    for (const one of occasions) {
      if (fieldOf(after as SetLike, one) !== "Delete" || fieldOf(before as SetLike, one) === "Delete") continue;
      const title = `The field of set ${object.metadata.name} was made ${one}: Delete`;
      const keeper = holdersOf(before, one).find(({ operation }) => operation === "Apply");
      if (keeper) return `${title}, although ${keeper.manager} applies that it keeps.`;
      if (!wasAskedFor(change, truth, object.metadata.uid, one, unseen)) return `${title}, which no user asked for.`;
    }
    return undefined;
  },
};

/** Whether users have asked a set in the last `ms` milliseconds to delete claims on an occasion. */
function wasAskedFor({ at: now, object }: Change, truth: Truth, uid: string, one: Occasion, ms: number): boolean {
  const homes = truth.changes.filter(({ object, at }) => object.kind === "Namespace" && at >= now - ms);
  const possible = [
    truth.history.live("Namespace").find(({ metadata }) => metadata.name === object.metadata.namespace),
    ...homes.flatMap(({ before, after }) => [before, after]),
  ];
  return statesOf(truth, uid, ms).some((set) => possible.some((home) => askedFor(set, home)?.[one] === "Delete"));
}

/** Nothing is ever changed by us but owners of claims, annotations and labels of ours, and the one field of sets. */
const sparesWhatIsNotOurs: Invariant = {
  name: "spares-what-is-not-ours-of-sets-and-claims",
  check(change) {
    const { before, after, object } = change;
    if (!isBy(change, ours) || object.kind === "Event" || !before) return undefined;
    const title = `${object.kind} ${object.metadata.name}`;
    const taken = leaving(change);
    if (taken.length > 0) return `${title} lost ${taken.join(" and ")} by our write.`;
    if (!after || isDeepStrictEqual(ofOthers(before), ofOthers(after))) return undefined;
    return `${title} was changed by us in a part that is not ours.`;
  },
};

function ofOthers({ kind, metadata, spec, ...rest }: KubernetesObject): object {
  const { annotations = {}, labels = {}, finalizers, name, uid } = metadata;
  const foreign = (record: Record<string, string>) =>
    Object.entries(record).filter(([key]) => !/^holdfast\.dev\/(pvc-retention\.|waiting$|check-claims$)/.test(key));
  const { persistentVolumeClaimRetentionPolicy: _, ...others } = (spec ?? {}) as Record<string, unknown>;
  const status = kind === "StatefulSet" ? undefined : rest.status;
  return { name, uid, spec: others, status, finalizers, annotations: foreign(annotations), labels: foreign(labels) };
}

/** What must hold after every write where PVC retention is installed. */
export const invariants: readonly Invariant[] = [
  goesByTheField,
  tiesWhatWasUsed,
  leavesWhatOthersUse,
  sparesOthersReferences,
  fieldDeletesOnlyIfAsked,
  sparesWhatIsNotOurs,
];
