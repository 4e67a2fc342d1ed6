/**
 * The hooks by which a Machine waits for us; the names behind the slash are ours, and no other hook is ever touched.
 */
export const preDrainHook = "pre-drain.delete.hook.machine.cluster.x-k8s.io/linstor-prepare-for-drain";
export const preTerminateHook =
  "pre-terminate.delete.hook.machine.cluster.x-k8s.io/linstor-wait-for-complete-evacuation";

/** Conditions of a LinstorSatellite. piraeus-operator's documentation has the third where its code has the first. */
export const conditions = {
  evacuated: "SatelliteEvacuated",
  deleted: "SatelliteDeleted",
  documented: "EvacuationCompleted",
} as const;

/** Conditions of a LinstorSatellite while it lives, as piraeus-operator has them. */
export const lifeConditions = {
  /** Its DaemonSet is as it should be. */
  applied: "Applied",
  /** LINSTOR is connected with it. */
  available: "Available",
  /** Its properties and storage pools are as its spec says. */
  configured: "Configured",
} as const;

/** Property of a LINSTOR controller: whether it gives up nodes that have been offline for a while. */
export const evictionKey = "DrbdOptions/AutoEvictAllowEviction";

/** The CSI driver whose volumes these are, as PersistentVolumes and VolumeAttachments name it. */
export const csiDriver = "linstor.csi.linbit.com";

/**
 * Label of a Node of which something has changed that functions go by. The admission policy of satellites sets it in
 * the write itself, so that a source that selects it sends an event then, and none for a kubelet's heartbeats; create
 * takes it off.
 */
export const changedLabel = "holdfast.dev/changed";

/** The option of satellites that brings that policy. */
export const admissionPolicy = "admission-policy";
