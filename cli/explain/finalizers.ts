/** Who removes a finalizer that is not Holdfast's, and when; sentences are whole. */
interface KnownFinalizer {
  readonly finalizer: string | RegExp;
  readonly owner: string;
  readonly until: string;
}

const known: readonly KnownFinalizer[] = [
  {
    finalizer: "kubernetes.io/pvc-protection",
    owner: "Kubernetes' PVC protection",
    until: "It leaves when no pod uses the claim: delete the pods that do.",
  },
  {
    finalizer: "kubernetes.io/pv-protection",
    owner: "Kubernetes' PV protection",
    until: "It leaves when the volume is bound to no claim: delete the claim first.",
  },
  {
    finalizer: "foregroundDeletion",
    owner: "Kubernetes' garbage collector",
    until: "It leaves when every object that this one owns with blockOwnerDeletion is gone: explain those.",
  },
  {
    finalizer: "orphan",
    owner: "Kubernetes' garbage collector",
    until: "It leaves when the objects that this one owns have lost their owner reference.",
  },
  {
    finalizer: "kubernetes",
    owner: "Kubernetes' namespace controller",
    until: "It leaves when nothing is left in the namespace.",
  },
  {
    finalizer: "customresourcecleanup.apiextensions.k8s.io",
    owner: "Kubernetes' API server",
    until: "It leaves when every object of the defined kind is gone.",
  },
  {
    finalizer: "batch.kubernetes.io/job-tracking",
    owner: "Kubernetes' Job controller",
    until: "It leaves when the Job has counted the pod.",
  },
  {
    finalizer: "service.kubernetes.io/load-balancer-cleanup",
    owner: "the cloud's service controller",
    until: "It leaves when the load balancer of the Service is gone.",
  },
  {
    finalizer: /^external-provisioner\.volume\.kubernetes\.io\//,
    owner: "the CSI driver's external-provisioner",
    until: "It leaves when the driver has deleted the storage, or the volume's policy is Retain.",
  },
  {
    finalizer: /^external-attacher\//,
    owner: "the CSI driver's external-attacher",
    until: "It leaves when the volume is attached to no node: look at its VolumeAttachments.",
  },
  {
    finalizer: /^snapshot\.storage\.kubernetes\.io\//,
    owner: "the snapshot controller",
    until: "It leaves when no snapshot is made or restored with the object any more.",
  },
  {
    finalizer: /(^|\.)cluster\.x-k8s\.io(\/|$)/,
    owner: "a controller of Cluster API",
    until: "It leaves when the controller has deleted what the object stands for: look at its conditions.",
  },
  {
    finalizer: /(^|\.)piraeus\.io\//,
    owner: "piraeus-operator",
    until: "It leaves when that operator has cleaned up: it must run for that.",
  },
];

/** What is known of a finalizer that no rule removes. */
export function aboutFinalizer(finalizer: string): { readonly owner: string; readonly until: string } {
  const found = known.find((one) =>
    typeof one.finalizer === "string" ? one.finalizer === finalizer : one.finalizer.test(finalizer),
  );
  if (found) return { owner: found.owner, until: found.until };
  const domain = finalizer.includes("/") ? finalizer.split("/")[0] : finalizer;
  return {
    owner: "a controller that Holdfast does not know",
    until:
      `Look for the controller of ${domain} and read its log: only it knows what it still has to clean up. ` +
      "Do not remove the finalizer by hand before you know that.",
  };
}
