import { withTurns } from "../../../local/start/swept-often.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Setting } from "../../worlds/world.ts";
import { apartSettings } from "./linstor.ts";

/** Satellites beside the default, where the sweep comes to every object each minute: no run waits for its resync. */
export const withSatellites: Setting = {
  name: "with satellites",
  inTree: true,
  // A longer tick would nap until what waits is due, for as long as anything waits; in a shorter one the lists may not
  // be read, of which a page takes two seconds now and then.
  environment: { "platform-sweep": { TICK: "5" } },
  components: ["access/satellite", "satellite", "satellite/cluster-api"],
  edit: (object) => withApart(withTurns(object, "1m", (rule) => rule.startsWith("satellite/"))),
};

/** The LINSTOR that is apart may be asked, too. */
const withApart = (object: KubernetesObject): KubernetesObject =>
  object.kind === "ConfigMap" && object.metadata.name === "holdfast-satellite"
    ? ({ ...object, data: { ...(object as { data?: object }).data, ...apartSettings } } as KubernetesObject)
    : object;
