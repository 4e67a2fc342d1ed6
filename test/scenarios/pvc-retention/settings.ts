import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../harness/cluster.ts";

const common = {
  inTree: true,
  environment: {},
  guardsOwnerReferences: false,
  // Every object is resynced in every tick.
  edit: (object) => withTurns(object, "1s"),
} satisfies Partial<Setting>;

/** As installed by default: sync-policy writes the policy a moment after it has changed. */
export const byDefault: Setting = {
  ...common,
  name: "as installed by default",
  components: ["pvc-protection/admission-policy"],
};

/** With the admission policy of PVC retention, by which a policy that keeps counts in the very write. */
export const admitted: Setting = {
  ...common,
  name: "with the admission policy",
  components: ["pvc-protection/admission-policy", "pvc-retention/admission-policy"],
};

/** As installed by default, and swept as there: what has no event waits for six hours, unless a row finds it before. */
export const sweptAsShipped: Setting = { ...byDefault, name: "swept as shipped", edit: (object) => object };
