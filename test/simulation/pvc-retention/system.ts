import type { System } from "../system.ts";
import { broken } from "./broken/broken.ts";
import { ends } from "./ends/ends.ts";
import { invariants } from "./invariants/invariants.ts";
import { meddlings } from "./meddlings.ts";
import { scenarios } from "./scenarios/scenarios.ts";

export const pvcRetention: System = {
  name: "pvc-retention",
  scenarios,
  invariants,
  ends,
  meddlings,
  broken,
  kinds: ["StatefulSet", "Namespace"],
};
