import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../worlds/world.ts";

const others = ["pvc-protection", "pvc-retention", "undelete"];

/** Evictions alone; the sweep resyncs every resource each minute, for which no run would wait otherwise. */
export const evictions: Setting = {
  name: "Evictions alone",
  inTree: true,
  environment: { "platform-sweep": { TICK: "5" } },
  components: ["access/eviction", "eviction"],
  leaveOut: ({ metadata }) => others.includes(metadata.labels?.["app.kubernetes.io/name"] ?? ""),
  edit: (object) => withTurns(object, "1m", (rule) => rule.startsWith("eviction/")),
};
