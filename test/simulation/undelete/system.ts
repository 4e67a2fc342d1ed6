import type { System } from "../system.ts";
import { broken } from "./broken.ts";
import { ends } from "./ends.ts";
import { invariants } from "./invariants.ts";
import { meddlings } from "./meddlings.ts";
import { scenarios } from "./scenarios.ts";

export const undelete: System = {
  name: "undelete",
  scenarios,
  invariants,
  ends,
  meddlings,
  broken,
  kinds: ["PersistentVolume", "Namespace"],
};
