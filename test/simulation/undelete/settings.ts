import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../harness/cluster.ts";

/** As shipped, but that the sweep comes to every volume each minute, not each hour: no run waits for its resync. */
export const shipped: Setting = {
  name: "as shipped",
  inTree: true,
  // More can go wrong where a namespace can be given what was another one's.
  environment: { "undelete-reserve": { OTHER_NAMESPACE: "ask" } },
  components: [],
  edit: (object) => withTurns(object, "1m", (rule) => rule.startsWith("undelete/")),
};

/** The same, with room for one volume that is kept. */
export const narrow: Setting = {
  ...shipped,
  name: "as shipped, with MOST_KEPT=1Gi",
  environment: { ...shipped.environment, "undelete-retain": { MOST_KEPT: "1Gi" } },
};
