import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../worlds/world.ts";

/** As shipped, but that the sweep comes to every volume each minute, not each hour: no run waits for its resync. */
export const shipped: Setting = {
  name: "as shipped",
  inTree: true,
  environment: {},
  components: [],
  edit: (object) => withTurns(object, "1m", (rule) => rule.startsWith("undelete/")),
};
