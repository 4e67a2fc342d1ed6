import { withTurns } from "../../../local/start/swept-often.ts";
import type { Setting } from "../../harness/cluster.ts";

const others = ["pvc-protection", "pvc-retention", "undelete"];

const chain = [
  "disable-compute",
  "confirm-outage",
  "shut-down-host",
  "evacuate-servers",
  "move-servers",
  "release-compute",
];
const environment = { EVICTION_MAX_UNAVAILABLE: "2", EVICTION_DOWN_FOR: "30s" };

/** Evictions alone; the sweep resyncs every resource each minute, for which no run would wait otherwise. */
export const evictions: Setting = {
  name: "Evictions alone",
  inTree: true,
  environment: {
    "platform-sweep": { TICK: "5" },
    ...Object.fromEntries(chain.map((rule) => [`eviction-${rule}`, environment])),
  },
  components: ["access/eviction", "eviction"],
  leaveOut: ({ metadata }) => others.includes(metadata.labels?.["app.kubernetes.io/name"] ?? ""),
  edit: (object) => withTurns(object, "1m", (rule) => rule.startsWith("eviction/")),
};
