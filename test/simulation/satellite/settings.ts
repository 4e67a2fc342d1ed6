import { withTurns } from "../../../local/start/swept-often.ts";
import { slug } from "../../../shared/rule.ts";
import type { Setting } from "../../harness/cluster.ts";
import { functions } from "../../harness/functions.ts";
import { apartSettings } from "./linstor.ts";

const rules = Object.keys(functions).filter((name) => name.startsWith("satellite/"));

/** Satellites beside the default, where the sweep comes to every object each minute: no run waits for its resync. */
export const withSatellites: Setting = {
  name: "with satellites",
  inTree: true,
  // A longer tick would nap until what waits is due, for as long as anything waits; in a shorter one the lists may not
  // be read, of which a page takes two seconds now and then.
  environment: {
    "platform-sweep": { TICK: "5" },
    // Here, because runs of outages leave out what is edited.
    ...Object.fromEntries(rules.map((name) => [slug(name), apartSettings])),
  },
  components: ["access/satellite", "satellite", "satellite/cluster-api"],
  edit: (object) => withTurns(object, "1m", (rule) => rule.startsWith("satellite/")),
};
