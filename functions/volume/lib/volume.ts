import { type Condition, setCondition } from "../../../shared/kubernetes/condition.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { Volume } from "./kinds.ts";
import type { Reason, VolumeSpec, VolumeStatus } from "./schema.ts";

/** The finalizer of Volumes and of their PersistentVolumes, under MetalK8s' own name. */
export const volumeFinalizer = "storage.metalk8s.scality.com/volume-protection";

/** A Volume as the API server keeps it. */
export interface VolumeObject extends KubernetesObject {
  readonly spec: VolumeSpec;
  readonly status?: VolumeStatus;
}

/** The state of a Volume: the document's four, and `Unknown` before the first word about it. */
export type Phase = "Unknown" | "Pending" | "Available" | "Failed" | "Terminating";

/** As MetalK8s computes it: from the condition Ready alone. */
export function phaseOf({ status }: Pick<VolumeObject, "status">): Phase {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  switch (ready?.status) {
    case "True":
      return "Available";
    case "False":
      return "Failed";
    case "Unknown":
      return ready.reason === "Pending" ? "Pending" : "Terminating";
  }
  return "Unknown";
}

/** Whether only a person gets the Volume any further: it has failed, and not because its PersistentVolume has. */
export function hasFailedForGood(volume: VolumeObject): boolean {
  return phaseOf(volume) === "Failed" && reasonOf(volume) !== "UnavailableError";
}

/** Why the Volume is in its state; empty for none. */
export function reasonOf({ status }: Pick<VolumeObject, "status">): Reason | "" {
  return status?.conditions?.find(({ type }) => type === "Ready")?.reason ?? "";
}

/** What the status of a Volume should say; fields that are left out stay as they are. */
export interface WantedStatus {
  readonly phase?: Exclude<Phase, "Unknown">;
  readonly reason?: Reason;
  /** A whole sentence; empty where all is well. */
  readonly message?: string;
  readonly job?: string;
  readonly deviceName?: string;
}

/**
 * The guarded patch that brings the status there; none when it already says so, because each write comes back as an
 * event. MetalK8s' `lastUpdateTime` moves with every change of the condition. `now` is in milliseconds since the epoch.
 */
export function statusWrites(volume: VolumeObject, wanted: WantedStatus, now: number): readonly Write[] {
  const { status = {} } = volume;
  const changes: Record<string, unknown> = {};
  if (wanted.phase) {
    const before = (status.conditions ?? []) as readonly Condition[];
    const conditions = setCondition(before, readyOf(wanted.phase, wanted), now);
    const time = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
    if (conditions !== before)
      changes.conditions = conditions.map((condition) =>
        condition.type === "Ready" ? { ...condition, lastUpdateTime: time } : condition,
      );
    if (status.phase !== wanted.phase) changes.phase = wanted.phase;
  }
  if (wanted.job !== undefined && (status.job ?? "") !== wanted.job) changes.job = wanted.job;
  if (wanted.deviceName !== undefined && status.deviceName !== wanted.deviceName)
    changes.deviceName = wanted.deviceName;
  return statusPatch(volume, changes);
}

/** The guarded patch that shows the phase that the conditions say; none when it is shown. */
export function phaseWrites(volume: VolumeObject): readonly Write[] {
  const phase = phaseOf(volume);
  return statusPatch(volume, volume.status?.phase === phase ? {} : { phase });
}

function statusPatch({ metadata }: VolumeObject, status: Readonly<Record<string, unknown>>): readonly Write[] {
  if (Object.keys(status).length === 0) return [];
  const { name, uid, resourceVersion } = metadata;
  const patch = { metadata: { uid, resourceVersion }, status };
  const options = { subresource: "status" };
  return [{ verb: "patch", kind: Volume, namespace: undefined, name, type: "merge", patch, options }];
}

const statusOf = { Available: "True", Failed: "False", Pending: "Unknown", Terminating: "Unknown" } as const;

function readyOf(phase: Exclude<Phase, "Unknown">, { reason, message = "" }: WantedStatus) {
  const standard = phase === "Pending" || phase === "Terminating" ? phase : "";
  return { type: "Ready", status: statusOf[phase], reason: reason ?? standard, message };
}
