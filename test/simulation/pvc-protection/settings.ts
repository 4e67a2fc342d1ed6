import type { Setting } from "../../harness/cluster.ts";
import { alone, beside, documentMode, standIn } from "../../scenarios/pvc-protection/settings.ts";

// The settings of the scenarios, without the admission policy: here protect itself must come up for what is lost.

const policy = "pvc-protection/admission-policy";
const withoutPolicy = (setting: Setting): Setting => ({
  ...setting,
  components: setting.components.filter((component) => component !== policy),
});

export const besideInTree = withoutPolicy(beside);
export const withoutInTree = withoutPolicy(alone);
export const inDocumentMode = withoutPolicy(documentMode);
export const underInTreeName = withoutPolicy(standIn);
