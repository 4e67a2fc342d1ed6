import fc from "fast-check";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { progressKey } from "../../../shared/progress.ts";
import { readyOf, type SeenVolume } from "../lib/chain.ts";
import type { ChainFacts } from "../lib/look.ts";
import type { PersistentVolumeObject } from "../lib/persistent-volume.ts";
import type { Reason, VolumeSpec, VolumeStatus } from "../lib/schema.ts";
import { type Phase, type VolumeObject, volumeFinalizer } from "../lib/volume.ts";

export const now = Date.parse("2026-03-01T12:00:00Z");
export const uid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
export const otherUid = "6ba7b811-9dad-11d1-80b4-00c04fd430c8";
/** Chosen 20 seconds before `now`. */
export const jid = "20260301115940123456";
const inTree = "kubernetes.io/pv-protection";

export interface VolumeOptions {
  readonly phase?: Phase;
  readonly reason?: Reason;
  readonly message?: string;
  readonly job?: string;
  readonly deleting?: boolean;
  readonly finalizers?: string[];
  readonly annotations?: Record<string, string>;
  readonly spec?: Partial<VolumeSpec>;
  readonly deviceName?: string;
}

const statusOf = { Available: "True", Failed: "False", Pending: "Unknown", Terminating: "Unknown" } as const;

/** A Volume; without a phase, one without a status. */
export function volume(options: VolumeOptions = {}): VolumeObject {
  const { phase = "Unknown", message = "", job, deleting, finalizers = [volumeFinalizer], annotations, spec } = options;
  const standard = phase === "Pending" || phase === "Terminating" ? phase : "";
  const status: VolumeStatus = {
    ...(job === undefined ? {} : { job }),
    ...(options.deviceName ? { deviceName: options.deviceName } : {}),
    ...(phase === "Unknown"
      ? {}
      : {
          phase,
          conditions: [
            {
              type: "Ready",
              status: statusOf[phase],
              reason: options.reason ?? standard,
              message,
              lastUpdateTime: "2026-03-01T11:00:00Z",
              lastTransitionTime: "2026-03-01T11:00:00Z",
            },
          ],
        }),
  };
  return {
    apiVersion: "storage.metalk8s.scality.com/v1alpha1",
    kind: "Volume",
    metadata: {
      name: "data",
      uid,
      resourceVersion: "9",
      finalizers,
      ...(annotations ? { annotations } : {}),
      ...(deleting ? { deletionTimestamp: "2026-03-01T11:59:00Z" } : {}),
    },
    spec: {
      nodeName: "n0",
      storageClassName: "metalk8s",
      mode: "Filesystem",
      sparseLoopDevice: { size: "10Gi" },
      ...spec,
    },
    status,
  };
}

/** The annotation that a rule has written down. */
export function progress(ruleName: string, step: string, more: object = {}): Record<string, string> {
  const since = "2026-03-01T11:59:40.000Z";
  return { [progressKey(ruleName)]: JSON.stringify({ v: 1, uid, step, since, because: "It was so.", ...more }) };
}

export interface PersistentVolumeOptions {
  readonly phase?: string;
  readonly deleting?: boolean;
  readonly finalizers?: string[];
  /** The uid of the Volume that controls it; `null`: none does. */
  readonly owner?: string | null;
  readonly path?: string;
  readonly claim?: { name: string; namespace: string; uid?: string };
  readonly message?: string;
}

export function persistentVolume(options: PersistentVolumeOptions = {}): PersistentVolumeObject {
  const { phase = "Available", deleting, finalizers = [inTree, volumeFinalizer], owner = uid, path, claim } = options;
  const reference = {
    apiVersion: "storage.metalk8s.scality.com/v1alpha1",
    kind: "Volume",
    name: "data",
    uid: owner ?? "",
    controller: true,
  };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: "data",
      uid: "pv1",
      resourceVersion: "5",
      finalizers,
      ...(owner === null ? {} : { ownerReferences: [reference] }),
      ...(deleting ? { deletionTimestamp: "2026-03-01T11:59:00Z" } : {}),
    },
    spec: { local: { path: path ?? `/dev/disk/by-uuid/${uid}` }, ...(claim ? { claimRef: claim } : {}) },
    status: { phase, ...(options.message ? { message: options.message } : {}) },
  };
}

const named = (kind: string, name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, uid: name, resourceVersion: "1" },
});
export const storageClass: KubernetesObject = { ...named("StorageClass", "metalk8s"), parameters: { fsType: "ext4" } };
export const node = named("Node", "n0");

/** The writes of a decision as text, without the object that it is about. */
export const written = (decision: Decision | undefined): string =>
  JSON.stringify(decision && "writes" in decision ? decision.writes : []);

/** An event about an object, as the source sends it; `undefined`: without the object. */
export function hint(
  change: Hint["change"],
  object: KubernetesObject | undefined,
  kind = object?.kind ?? "Volume",
): Hint {
  const volumes = "storage.metalk8s.scality.com/v1alpha1";
  const apiVersion = object?.apiVersion ?? (kind === "Volume" ? volumes : "v1");
  return { id: "e", change, apiVersion, kind, name: object?.metadata.name ?? "data", object };
}

/** `status.job` in every form, those that no rule writes included. */
export const anyJob = fc.oneof(
  fc.constantFrom(
    undefined,
    "",
    ...["PrepareVolume", "GetDeviceInfo", "UnprepareVolume"].flatMap((step) => [
      `${step}/${jid}`,
      `${step}/DONE`,
      `${step}/`,
    ]),
    "PrepareVolume/99999999999999999999",
    "Tampered/x",
  ),
  fc.string({ maxLength: 30 }),
);

export const anyVolume: fc.Arbitrary<VolumeObject> = fc
  .record(
    {
      phase: fc.constantFrom<Phase>("Unknown", "Pending", "Available", "Failed", "Terminating"),
      reason: fc.constantFrom<Reason>("CreationError", "DestructionError", "UnavailableError", "InternalError"),
      job: anyJob,
      deleting: fc.boolean(),
      finalizers: fc.subarray([volumeFinalizer, "a.example/x"]),
    },
    { requiredKeys: ["phase", "deleting", "finalizers"] },
  )
  .map(({ phase, reason, job, ...rest }) =>
    volume({
      ...rest,
      phase,
      ...(phase === "Failed" && reason ? { reason } : {}),
      ...(job === undefined ? {} : { job }),
    }),
  );

const anyPersistentVolume: fc.Arbitrary<PersistentVolumeObject> = fc
  .record(
    {
      phase: fc.constantFrom("Pending", "Available", "Bound", "Released", "Failed", ""),
      deleting: fc.boolean(),
      finalizers: fc.subarray([inTree, volumeFinalizer, "a.example/x"]),
      owner: fc.constantFrom(uid, otherUid, null),
      path: fc.constantFrom(
        `/dev/disk/by-uuid/${uid}`,
        `/dev/disk/by-partuuid/${uid}`,
        `/dev/disk/by-uuid/${otherUid}`,
        "/dev/disk/by-id/dm-uuid-LVM-abc",
      ),
      claim: fc.constantFrom({ namespace: "shop", name: "data" }, { namespace: "shop", name: "data", uid: "c1" }),
    },
    { requiredKeys: ["phase", "deleting", "finalizers", "owner", "path"] },
  )
  .map((options) => persistentVolume(options as PersistentVolumeOptions));

export const anyFacts: fc.Arbitrary<ChainFacts> = fc
  .record({
    volume: anyVolume,
    persistentVolume: fc.option(anyPersistentVolume, { nil: undefined }),
    nodeIsGone: fc.boolean(),
  })
  .map((facts) => ({ ...facts, nodeIsGone: facts.nodeIsGone && isBeingDeleted(facts.volume) }));

/** What a rule of the chain has seen of one Volume. */
export const seenOf = (facts: ChainFacts): readonly SeenVolume[] => [
  { object: facts.volume, found: facts, facts: readyOf(facts) },
];
