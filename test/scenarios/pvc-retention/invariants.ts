import { expect } from "vitest";
import { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { recordWatch, type WatchLine } from "../../harness/recorded-watch.ts";
import { historyOf, versionOf } from "../../harness/watch-history.ts";
import { byHandKey } from "./helpers.ts";

interface SetObject extends KubernetesObject {
  spec: {
    replicas: number;
    ordinals?: { start?: number };
    volumeClaimTemplates?: { metadata: { name: string } }[];
    persistentVolumeClaimRetentionPolicy?: { whenDeleted: string; whenScaled: string };
  };
}

interface PodObject extends KubernetesObject {
  spec: { volumes?: { persistentVolumeClaim?: { claimName: string } }[] };
  status?: { phase?: string };
}

/** A history of everything that happened to the sets, claims and pods of a cluster, and what must hold in all of it. */
export interface Invariants {
  /** Fails with what was violated. */
  check(): Promise<void>;
}

/** Begins to write the history. Definitions here are their own, apart from those of the rules. */
export function watchInvariants(cluster: Cluster): Invariants {
  const watches = [StatefulSet, PersistentVolumeClaim, Pod].map((kind) => recordWatch(cluster, kind, {}));
  return {
    async check() {
      const history = await historyOf(cluster, watches);
      for (const watch of watches) watch.stop();
      expect(violations(history)).toEqual([]);
    },
  };
}

/** What there is at one moment, and what is known of sets that are gone. */
interface Moment {
  readonly pods: Map<string, KubernetesObject>;
  readonly claims: Map<string, KubernetesObject>;
  readonly sets: Map<string, KnownSet>;
  /** By the uid of a pod: the moment of its creation. */
  readonly born: Map<string, number>;
  /** By the uid of a claim: the moment at which its deletion was asked for. */
  readonly doomed: Map<string, number>;
  /**
   * By the name of a claim: the last moment at which a set that lives wanted no pod for it, and its field was to delete
   * it.
   */
  readonly condemned: Map<string, number>;
  /** By the name of a claim: the last moment at which a pod began to run with it. */
  readonly used: Map<string, number>;
}

interface KnownSet {
  set: SetObject;
  gone: boolean;
  /** Whether `--cascade=orphan` was asked for. */
  orphaned: boolean;
}

function violations(history: readonly WatchLine[]): string[] {
  const moment: Moment = {
    pods: new Map(),
    claims: new Map(),
    sets: new Map(),
    born: new Map(),
    doomed: new Map(),
    condemned: new Map(),
    used: new Map(),
  };
  return history.flatMap((line) => {
    if (line.object.kind === "StatefulSet") learn(moment, line);
    if (line.object.kind === "PersistentVolumeClaim") return ofClaim(moment, line);
    return line.object.kind === "Pod" ? ofPod(moment, line) : [];
  });
}

function learn(moment: Moment, line: WatchLine): void {
  const { sets, claims, condemned } = moment;
  const { type, object } = line;
  for (const name of claims.keys())
    if (isAway(object as SetObject, name) && fieldOf(object as SetObject).whenScaled === "Delete")
      condemned.set(name, versionOf(line));
  const before = sets.get(object.metadata.name);
  const isSame = before?.set.metadata.uid === object.metadata.uid;
  const orphaned = object.metadata.finalizers?.includes("orphan") || (isSame && before?.orphaned) || false;
  sets.set(object.metadata.name, { set: object as SetObject, gone: type === "DELETED", orphaned });
}

/** No claim goes that the policy in force keeps. */
function ofClaim(moment: Moment, line: WatchLine): string[] {
  const { type, object: claim } = line;
  const { name, uid, annotations, deletionTimestamp } = claim.metadata;
  if (type === "DELETED") moment.claims.delete(name);
  else moment.claims.set(name, claim);
  if (moment.doomed.has(uid) || (type !== "DELETED" && !deletionTimestamp)) return [];
  moment.doomed.set(uid, versionOf(line));
  if (annotations?.[byHandKey]) return [];
  const owners = [...moment.sets.values()].filter(({ set }) => ordinalIn(set, name) !== undefined);
  const living = owners.filter(({ gone }) => !gone);
  const [owner] = living.length > 0 ? living : owners;
  if (!owner) return [`Claim ${name} went, which is no set's.`];
  if (living.length > 1) return [`Claim ${name} went, which two sets yield.`];
  const reason = reasonToStay(moment, owner, claim);
  return reason ? [`Claim ${name} went, although ${reason}.`] : [];
}

/**
 * The field is the only truth: what it said when the claim's deletion was asked for, or when its replica was scaled
 * away.
 */
const fieldOf = ({ spec }: SetObject) => spec.persistentVolumeClaimRetentionPolicy ?? keeps;
const keeps = { whenDeleted: "Retain", whenScaled: "Retain" };

function reasonToStay(moment: Moment, { set, gone, orphaned }: KnownSet, claim: KubernetesObject) {
  const { whenDeleted, whenScaled } = fieldOf(set);
  // Who was scaled away belongs to its pod from then on, also when its ordinal is wanted again.
  const { name } = claim.metadata;
  // No reader can see a scale-up that comes between the last look and the deletion; then no pod has begun to run with
  // the claim since.
  const isOvertaken = (moment.condemned.get(name) ?? 0) > (moment.used.get(name) ?? 0);
  const isCondemned =
    isAway(set, name) ||
    isOvertaken ||
    claim.metadata.ownerReferences?.some(({ kind, controller }) => kind === "Pod" && controller);
  if ((whenScaled === "Delete" && isCondemned) || isOvertaken) return undefined;
  if (!gone && !set.metadata.deletionTimestamp) return isCondemned ? `whenScaled is ${whenScaled}` : "the set wants it";
  if (orphaned) return "the set was deleted with --cascade=orphan";
  return whenDeleted === "Delete" ? undefined : `whenDeleted is ${whenDeleted}`;
}

/** No replica ever mounts a condemned claim. */
function ofPod(moment: Moment, line: WatchLine): string[] {
  const pod = line.object as PodObject;
  const { name, uid } = pod.metadata;
  const before = moment.pods.get(name) as PodObject | undefined;
  if (line.type === "DELETED") moment.pods.delete(name);
  else moment.pods.set(name, pod);
  const born = moment.born.get(uid) ?? versionOf(line);
  moment.born.set(uid, born);
  const wasRunning = before?.metadata.uid === uid && before.status?.phase === "Running";
  if (line.type === "DELETED" || wasRunning || pod.status?.phase !== "Running") return [];
  const names = pod.spec.volumes?.flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []) ?? [];
  for (const used of names) moment.used.set(used, versionOf(line));
  return names.flatMap((claimName) => {
    const claim = moment.claims.get(claimName);
    if (!claim) return `Pod ${name} runs without its claim ${claimName}.`;
    const doomed = moment.doomed.get(claim.metadata.uid);
    if (doomed !== undefined && doomed < born) return `Pod ${name} mounts claim ${claimName}, which is being deleted.`;
    const owner = claim.metadata.ownerReferences?.find(({ kind, controller }) => kind === "Pod" && controller);
    return owner && owner.name === name && owner.uid !== uid
      ? `Pod ${name} mounts claim ${claimName} of an earlier pod of its name.`
      : [];
  });
}

/** Whether the claim is the set's, of an ordinal that it wants no pod for. */
function isAway(set: SetObject, claim: string): boolean {
  const ordinal = ordinalIn(set, claim);
  const start = set.spec.ordinals?.start ?? 0;
  return ordinal !== undefined && (ordinal < start || ordinal >= start + set.spec.replicas);
}

function ordinalIn({ metadata, spec }: SetObject, claim: string): number | undefined {
  const prefixes = (spec.volumeClaimTemplates ?? []).map((template) => `${template.metadata.name}-${metadata.name}-`);
  const rests = prefixes.filter((prefix) => claim.startsWith(prefix)).map((prefix) => claim.slice(prefix.length));
  const digits = rests.find((rest) => /^\d+$/.test(rest));
  return digits === undefined ? undefined : Number(digits);
}
