import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../harness/cluster.ts";

const common = {
  inTree: true,
  environment: {},
  guardsOwnerReferences: false,
  // The sweep comes to every set each minute, not each sixth hour: no run waits for a resync.
  edit: (object) => withTurns(object, "1m", (rule) => rule.startsWith("pvc-retention/")),
} satisfies Partial<Setting>;

export const byDefault: Setting = { ...common, name: "as installed by default", components: [] };

/** A policy that keeps counts in the very write. */
export const admitted: Setting = {
  ...common,
  name: "with the admission policy",
  components: ["pvc-retention/admission-policy"],
};
