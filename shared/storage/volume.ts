import type { KubernetesObject } from "../kubernetes/object.ts";

/**
 * Finalizer of a namespace in which volumes were offered: it must not come back as another before all offers are
 * withdrawn.
 */
export const offerGuard = "holdfast.dev/undelete";

/** A PersistentVolume as far as rules read it. */
export interface Volume extends KubernetesObject {
  spec: {
    /** Without a uid: reserved for a claim of that name, whichever comes. */
    claimRef?: { namespace?: string; name?: string; uid?: string };
    persistentVolumeReclaimPolicy?: string;
    storageClassName?: string;
    capacity?: { storage?: string };
  };
  status?: { phase?: string; lastPhaseTransitionTime?: string };
}

/** A PersistentVolumeClaim as far as rules read it. */
export interface Claim extends KubernetesObject {
  spec: {
    volumeName?: string;
    /** What a new volume is to be filled with, such as a VolumeSnapshot. */
    dataSource?: { kind: string; name: string };
    dataSourceRef?: { apiGroup?: string; kind: string; name: string };
    resources?: { requests?: { storage?: string } };
  };
  status?: { phase?: string };
}

/**
 * Whether Kubernetes has brought the binding to its end. Before that nothing is changed: external-provisioner deletes a
 * volume of phase Released and policy Delete without a look at its claim, and right after a new claim was bound the
 * phase may still be the old.
 */
export function isBound({ metadata, spec, status }: Volume, claim: Claim | undefined): claim is Claim {
  return (
    claim !== undefined &&
    claim.metadata.uid === spec.claimRef?.uid &&
    claim.spec.volumeName === metadata.name &&
    status?.phase === "Bound"
  );
}
