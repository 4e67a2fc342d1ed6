import type { Setting } from "../../harness/cluster.ts";

const policy = "pvc-protection/admission-policy";
const adds = "pvc-protection/claim-adds";

/** As installed by default, with the admission policy. */
export const beside: Setting = {
  name: "beside Kubernetes' own protection",
  inTree: true,
  environment: {},
  components: [policy],
};

/** Kubernetes' own protection is switched off, so that it cannot hide a fault of Holdfast. */
export const alone: Setting = {
  name: "without Kubernetes' own protection",
  inTree: false,
  environment: {
    "pvc-protection-protect": { IN_TREE: "absent" },
    "pvc-protection-release": { IN_TREE: "absent" },
  },
  components: [policy, adds],
};

/** Terminated pods do not count as users, as in the original proposal. */
export const documentMode: Setting = {
  name: "in document mode",
  inTree: true,
  environment: { "pvc-protection-release": { MODE: "document", IN_TREE: "overruled" } },
  components: [policy, "pvc-protection/pod-updates"],
};

/** The functions replace Kubernetes' own protection, and use its finalizer. */
export const standIn: Setting = {
  name: "in place of Kubernetes' own protection",
  inTree: false,
  finalizer: "kubernetes.io/pvc-protection",
  environment: {
    "pvc-protection-protect": { IN_TREE: "absent" },
    "pvc-protection-release": { IN_TREE: "absent" },
  },
  components: [adds],
};

/** As {@link alone}, for claims with a label. */
export const selecting: Setting = {
  name: "for selected claims, without Kubernetes' own protection",
  inTree: false,
  environment: {
    "pvc-protection-protect": { IN_TREE: "absent", SELECTOR: "protected=yes" },
    "pvc-protection-release": { IN_TREE: "absent" },
  },
  components: [adds],
};

/** Kubernetes' own protection is off, and the settings of the functions do not say so. */
export const misconfigured: Setting = {
  name: "without Kubernetes' own protection, which the functions rely on",
  inTree: false,
  environment: {},
  components: [policy],
};

export const settings: readonly Setting[] = [beside, alone, documentMode, standIn, selecting, misconfigured];

/** Where release has a finalizer of its own, and with it two phases. */
export const twoPhased: readonly Setting[] = [beside, alone, documentMode];

/** Wherever the functions are set up rightly: for scenarios whose writes differ between these settings. */
export const everywhere: readonly Setting[] = [beside, alone, documentMode, standIn];
