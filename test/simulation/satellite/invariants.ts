import type { Change } from "../../harness/simulated/change.ts";
import { leaving as finalizersLeaving, type Invariant, isBy, type Truth } from "../invariants/invariant.ts";
import type { InLinstor } from "./linstor.ts";
import {
  attachmentsOf,
  drainHook,
  guard,
  hasLinstorCluster,
  isClusterDeleting,
  isFresh,
  linstorIn,
  type MachineLike,
  markedFor,
  policyOf,
  recordKey,
  type SatelliteLike,
  satelliteOf,
  terminateHook,
  volumesOf,
} from "./satellites.ts";

const isOurs = (change: Change) => isBy(change, "satellite");

/** The Machine that a change of ours takes a hook from, with its Node, where the evacuation is what releases it. */
function released(change: Change, truth: Truth, hook: string): { machine: MachineLike; node: string } | undefined {
  const { before, after } = change;
  if (!isOurs(change) || before?.kind !== "Machine" || !after || !before.metadata.deletionTimestamp) return undefined;
  const had = before.metadata.annotations?.[hook] !== undefined;
  if (!had || after.metadata.annotations?.[hook] !== undefined) return undefined;
  const machine = before as MachineLike;
  const node = machine.status?.nodeRef?.name ?? "";
  const satellite = satelliteOf(truth, node);
  const isGivenUp =
    !satellite || policyOf(satellite) !== "Evacuate" || isFresh(truth, change.at, satellite.metadata.uid);
  return isGivenUp || isClusterDeleting(truth) || !hasLinstorCluster(truth) ? undefined : { machine, node };
}

/** A Machine is drained when all volumes that are used on its Node are marked and can be used elsewhere. */
const drainsWhenMarked: Invariant = {
  name: "drains-when-marked",
  check(change, truth) {
    const { machine, node } = released(change, truth, drainHook) ?? {};
    if (!machine || !node || !linstorIn(truth).standIn.nodes().includes(node)) return undefined;
    for (const attachment of attachmentsOf(truth)) {
      if (attachment.spec.nodeName !== node || isFresh(truth, change.at, attachment.metadata.uid)) continue;
      const volume = volumesOf(truth).find(
        ({ metadata }) => metadata.name === attachment.spec.source.persistentVolumeName,
      );
      if (!volume || isFresh(truth, change.at, volume.metadata.uid)) continue;
      const what = `Machine ${machine.metadata.name} is drained while volume ${volume.metadata.name}`;
      if (!markedFor(volume).includes(node)) return `${what} is not marked.`;
      if (volume.spec?.nodeAffinity) return `${what} cannot be used on another Node.`;
    }
    return undefined;
  },
};

/** Nothing is shut down that holds data, or whose volumes are still marked; pre-drain goes first. */
const terminatesWhenEmpty: Invariant = {
  name: "terminates-when-empty",
  check(change, truth) {
    const { machine, node } = released(change, truth, terminateHook) ?? {};
    if (!machine || !node) return undefined;
    const what = `Machine ${machine.metadata.name} is released while`;
    if (change.after?.metadata.annotations?.[drainHook] !== undefined) return `${what} its pre-drain hook is there.`;
    const { standIn, volumes } = linstorIn(truth);
    if (!standIn.nodes().includes(node)) return undefined;
    const left = [...volumes].find((volume) => standIn.hasCopy(volume, node));
    if (left) return `${what} volume ${left} has a copy on ${node}.`;
    const marked = volumesOf(truth).find(
      (volume) => markedFor(volume).includes(node) && !isFresh(truth, change.at, volume.metadata.uid),
    );
    return marked && `${what} volume ${marked.metadata.name} is marked.`;
  },
};

/** Marks are put on volumes for an evacuation that has begun, and for no other Node. */
const marksForEvacuations: Invariant = {
  name: "marks-for-evacuations",
  check(change, truth) {
    const { before, after } = change;
    if (!isOurs(change) || after?.kind !== "PersistentVolume") return undefined;
    const had = before ? markedFor(before) : [];
    for (const node of markedFor(after)) {
      if (had.includes(node)) continue;
      const satellite = satelliteOf(truth, node);
      if (!satellite) return `Volume ${after.metadata.name} is marked for ${node}, which has no LinstorSatellite.`;
      if (isFresh(truth, change.at, satellite.metadata.uid)) continue;
      if (satellite.metadata.annotations?.[recordKey] === undefined || policyOf(satellite) !== "Evacuate")
        return `Volume ${after.metadata.name} is marked for ${node}, which is not being evacuated.`;
    }
    return undefined;
  },
};

/** The finalizer leaves when the policy has been carried out. */
const goesAfterItsPolicy: Invariant = {
  name: "goes-after-its-policy",
  check(change, truth) {
    const { before, object } = change;
    if (!isOurs(change) || object.kind !== "LinstorSatellite" || !finalizersLeaving(change).includes(guard))
      return undefined;
    const policy = policyOf(before as SatelliteLike);
    const { name } = object.metadata;
    if (policy === "Retain" || isClusterDeleting(truth) || !hasLinstorCluster(truth)) return undefined;
    return linstorIn(truth).standIn.nodes().includes(name)
      ? `LinstorSatellite ${name} was let go under ${policy} while LINSTOR lists its node.`
      : undefined;
  },
};

const inLinstor = (name: string, check: (asked: InLinstor, truth: Truth) => string | undefined): Invariant => ({
  name,
  check: () => undefined,
  checkOutside: (occurrence, truth) => check(occurrence as InLinstor, truth),
});

/**
 * Two evacuate calls at once for one node have lost data on a real LINSTOR. Judged are those that functions have sent,
 * from then until LINSTOR is through with them: the sender of one cannot prevent that the network makes two of it.
 */
export const evacuatesOnceAtATime = inLinstor("evacuates-once-at-a-time", ({ kind, node, atOnce }) =>
  kind === "evacuate" && atOnce > 1 ? `LINSTOR is at work on ${atOnce} evacuate calls for ${node}.` : undefined,
);

/**
 * LINSTOR deletes a source that it knows is not UpToDate, also the last one: another copy must be good. One whose
 * satellite has gone between the last read and the call it takes for UpToDate, and keeps.
 */
export const evacuatesWhatIsSafe = inLinstor("evacuates-what-is-safe", ({ kind, node, resources }) => {
  if (kind !== "evacuate") return undefined;
  for (const { name } of resources.filter((one) => one.node === node && one.stale))
    if (!resources.some((one) => one.name === name && one.good))
      return `LINSTOR is asked to evacuate ${node}, and no copy of ${name} is known to be good.`;
  return undefined;
});

/** DELETE takes all that is on a node along; and while nothing is, and no copy elsewhere is good, data may be lost. */
const deletesWhatIsEmpty = inLinstor("deletes-what-is-empty", ({ kind, node, resources, hasSnapshot }, truth) => {
  if (kind !== "delete") return undefined;
  const left = resources.find((one) => one.node === node)?.name ?? (hasSnapshot ? "a snapshot" : undefined);
  if (left) return `LINSTOR is asked to delete ${node}, which has ${left}.`;
  const { standIn, volumes } = linstorIn(truth);
  const unproven = [...volumes].find((volume) => standIn.goodCopies(volume).length === 0);
  return unproven && `LINSTOR is asked to delete ${node} while volume ${unproven} has no good copy.`;
});

/** `lost` is for the policy Delete: nothing else gives copies up. */
const losesByPolicy = inLinstor("loses-by-policy", ({ kind, node, resources }, truth) => {
  const satellite = satelliteOf(truth, node);
  if (kind !== "lost" || policyOf(satellite) === "Delete" || !resources.some((one) => one.node === node))
    return undefined;
  if (satellite && isFresh(truth, truth.changes.at(-1)?.at ?? 0, satellite.metadata.uid)) return undefined;
  return `LINSTOR is asked to give ${node} up, whose policy is ${policyOf(satellite)}.`;
});

/** The last good copy of a volume is never lost. */
function lostVolume(truth: Truth): string | undefined {
  const { standIn, volumes, forfeited } = linstorIn(truth);
  for (const volume of volumes)
    if (!forfeited.has(volume) && standIn.goodCopies(volume).length === 0)
      return `Volume ${volume} has lost its last copy.`;
  return undefined;
}
export const keepsTheLastCopy: Invariant = {
  name: "keeps-the-last-copy",
  shownBy: "invariants.test.ts",
  check: (_, truth) => lostVolume(truth),
  checkOutside: (_, truth) => lostVolume(truth),
};

/** What must hold after every write, and after each request to LINSTOR. */
export const invariants: readonly Invariant[] = [
  drainsWhenMarked,
  terminatesWhenEmpty,
  marksForEvacuations,
  goesAfterItsPolicy,
  evacuatesOnceAtATime,
  evacuatesWhatIsSafe,
  deletesWhatIsEmpty,
  losesByPolicy,
  keepsTheLastCopy,
];
