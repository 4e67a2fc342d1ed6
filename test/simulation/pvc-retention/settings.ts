import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../worlds/world.ts";

const shipped: Setting = {
  name: "as shipped",
  inTree: true,
  environment: {},
  components: ["pvc-retention/owner-references-enforced"],
  // The sweep comes to every set each minute, not each hour: no run waits for its turn on the slow cycle.
  edit: (object) => withTurns(object, "1m", (rule) => rule.startsWith("pvc-retention/")),
};

const projecting = (extent: string): Setting => ({
  ...shipped,
  name: `with PROJECT=${extent}`,
  environment: { "pvc-retention-project": { PROJECT: extent } },
});

/** The whole policy is written onto the set's own field. */
export const whole = shipped;

/** Only what is to happen at a scale-down is; the rules see to the rest. */
export const scaled = projecting("scaled");

/** Nothing is: the rules see to everything. */
export const off = projecting("off");

/** The server is from before StatefulSets had a retention policy of their own. */
export const withoutField: Setting = { ...shipped, name: "on a server without the field", withoutClaimRetention: true };
