import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../harness/cluster.ts";

const others = ["pvc-protection", "pvc-retention", "undelete"];

/** Volumes alone; the sweep resyncs every Volume each minute, for which no run would wait otherwise. */
export const volumes: Setting = {
  name: "Volumes alone",
  inTree: true,
  environment: { "platform-sweep": { TICK: "5" } },
  components: ["access/volume", "volume"],
  leaveOut: ({ metadata }) => others.includes(metadata.labels?.["app.kubernetes.io/name"] ?? ""),
  edit: (object) => withTurns(object, "1m", (rule) => rule.startsWith("volume/")),
};
