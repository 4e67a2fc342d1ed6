import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Change } from "../../harness/simulated/change.ts";
import { type Invariant, isBy, leaving } from "../invariants/invariant.ts";
import type { InSalt } from "./salt.ts";
import { guard, isAvailable, jobIn, type PublishedLike, publishedOf, readyOf, saltOf, storageOf } from "./volumes.ts";

const isOurs = (change: Change) => isBy(change, "volume");
const isVolume = ({ object }: Change) => object.kind === "Volume";
const isPublished = ({ object }: Change) => object.kind === "PersistentVolume";

/**
 * Two different jobs never work for one Volume: a new one is begun when the one before has come to its end, or is lost.
 */
const oneJobAtATime: Invariant = {
  name: "one-job-at-a-time",
  check: () => undefined,
  checkOutside(occurrence, truth) {
    const happened = occurrence as InSalt;
    if (happened.kind !== "posted") return undefined;
    const { jid, uid, volume } = happened.job;
    const other = [...saltOf(truth).running.values()].find((job) => job.uid === uid && job.jid !== jid);
    return other && `Job ${jid} was posted for Volume ${volume} while job ${other.jid} was running for it.`;
  },
};

/** Storage is never taken back under a claim. */
const sparesWhatIsBound: Invariant = {
  name: "spares-what-is-bound",
  check(change, truth) {
    const { before, after, object } = change;
    const isBegun = /^UnprepareVolume\/\d/.test(jobIn(after)) && jobIn(before) !== jobIn(after);
    if (!isOurs(change) || !isVolume(change) || !isBegun) return undefined;
    return isHeld(publishedOf(truth, object))
      ? `${object.metadata.name} is to be taken back while it is bound.`
      : undefined;
  },
  checkOutside(occurrence, truth) {
    const happened = occurrence as InSalt;
    if (happened.kind !== "begins" || happened.job.step !== "UnprepareVolume") return undefined;
    const { uid, volume } = happened.job;
    return isHeld(publishedOf(truth, { metadata: { uid } } as KubernetesObject))
      ? `The node reclaims the storage of ${volume} while it is bound.`
      : undefined;
  },
};

const isHeld = (published: PublishedLike | undefined) =>
  published?.status?.phase === "Bound" ||
  (published?.status?.phase === "Available" && Boolean(published.spec.claimRef?.uid));

/** A Volume becomes Available when it has a PersistentVolume that is safe from going alone, and not before. */
const availableWhenPublished: Invariant = {
  name: "available-when-published",
  check(change, truth) {
    const { before, after, object, at } = change;
    if (!isOurs(change) || !isVolume(change) || !isAvailable(after) || isAvailable(before)) return undefined;
    const published = publishedOf(truth, object);
    // Another client may have removed it since the function looked.
    const isJustGone = truth.changes.some(
      (other) =>
        isPublished(other) &&
        !other.after &&
        other.at > at - 60_000 &&
        other.object.metadata.name === object.metadata.name,
    );
    if (!published)
      return isJustGone ? undefined : `Volume ${object.metadata.name} is Available without a PersistentVolume.`;
    return undefined;
  },
};

/** What we create is the Volume's own: at its path, held by the finalizer, and owned. */
const publishesWhatIsHeld: Invariant = {
  name: "publishes-what-is-held",
  check(change) {
    const { before, after } = change;
    if (!isOurs(change) || !isPublished(change) || before || !after) return undefined;
    const { name, finalizers = [], ownerReferences = [] } = after.metadata;
    if (!finalizers.includes(guard)) return `PersistentVolume ${name} was made without ${guard}.`;
    return ownerReferences.some(({ controller, kind }) => controller && kind === "Volume")
      ? undefined
      : `PersistentVolume ${name} was made without an owner.`;
  },
};

/** The PersistentVolume is let go first: while it is there, the Volume explains it. */
const volumeGoesLast: Invariant = {
  name: "volume-goes-last",
  check(change, truth) {
    if (!isOurs(change) || !isVolume(change) || !leaving(change).includes(guard)) return undefined;
    const published = publishedOf(truth, change.object);
    return published?.metadata.finalizers?.includes(guard)
      ? `Volume ${change.object.metadata.name} was let go before its PersistentVolume.`
      : undefined;
  },
};

/** A finalizer leaves when the node has its storage back. */
const givesBackFirst: Invariant = {
  name: "gives-back-first",
  check(change, truth) {
    if (!isOurs(change) || !leaving(change).includes(guard)) return undefined;
    const { object } = change;
    const { files, records } = storageOf(truth);
    const uid = isVolume(change) ? object.metadata.uid : (object as PublishedLike).spec.local?.path?.split("/").at(-1);
    return uid && (files.has(uid) || records.has(uid))
      ? `${object.kind} ${object.metadata.name} was let go while its storage was on the node.`
      : undefined;
  },
};

/** Jobs in a row whose outcome no function will ever know. */
const attempts = 5;

/** What is lost again and again is given up. */
const triesSoOften: Invariant = {
  name: "tries-so-often",
  check: () => undefined,
  checkOutside(occurrence, truth) {
    const happened = occurrence as InSalt;
    if (happened.kind !== "posted") return undefined;
    const { uid, step, volume } = happened.job;
    const row = new Set<string>();
    for (const one of saltOf(truth).history) {
      if (!("job" in one) || one.job.uid !== uid || one.job.step !== step) continue;
      if (one.kind === "posted") row.add(one.job.jid);
      if (one.kind === "ends" && (one.how === "done" || one.how === "failed")) row.clear();
    }
    return row.size > attempts
      ? `${step} of Volume ${volume} was begun ${row.size} times in a row without success.`
      : undefined;
  },
};

/**
 * Requests about one job within a minute: two instances may look at it at each of our own writes, at signals and
 * sweeps.
 */
const mostAMinute = 60;

/** No function waits for a job by asking after it again and again. */
const asksSaltLittle: Invariant = {
  name: "asks-salt-little",
  check: () => undefined,
  checkOutside(occurrence, truth) {
    const happened = occurrence as InSalt;
    if (happened.kind !== "asked" || !happened.jid) return undefined;
    const { jid, at } = happened;
    let count = 0;
    for (const one of saltOf(truth).history.toReversed()) {
      if (one.kind !== "asked") continue;
      if (one.at < at - 60_000) break;
      if (one.jid === jid) count++;
    }
    return count > mostAMinute ? `Salt was asked about job ${jid} ${count} times within a minute.` : undefined;
  },
};

/**
 * A creation fails because the node cannot, or because it was lost as often as is tried.
 */
const failsForAReason: Invariant = {
  name: "fails-for-a-reason",
  check(change, truth) {
    const { before, after, object } = change;
    const reason = readyOf(after)?.reason;
    if (!isOurs(change) || !isVolume(change) || reason !== "CreationError" || reason === readyOf(before)?.reason)
      return undefined;
    const jobs = saltOf(truth).history.filter((one) => "job" in one && one.job.uid === object.metadata.uid);
    const posted = new Set(jobs.flatMap((one) => (one.kind === "posted" ? [one.job.jid] : [])));
    const cannot = jobs.some((one) => one.kind === "ends" && one.how === "failed");
    return cannot || posted.size >= attempts
      ? undefined
      : `Volume ${object.metadata.name} has failed for nothing: ${readyOf(after)?.message}`;
  },
};

/** What must hold after every write, and after every change in Salt. */
export const invariants: readonly Invariant[] = [
  oneJobAtATime,
  sparesWhatIsBound,
  availableWhenPublished,
  publishesWhatIsHeld,
  volumeGoesLast,
  givesBackFirst,
  triesSoOften,
  asksSaltLittle,
  failsForAReason,
];
