import type { Story } from "../story.ts";
import { clusterLife } from "./cluster-life.ts";
import { disturbance } from "./disturbance.ts";
import { lateBinding } from "./late-binding.ts";
import { protecting } from "./protecting.ts";
import { quiet } from "./quiet.ts";
import { releasing } from "./releasing.ts";
import { replacement } from "./replacement.ts";
import { users } from "./users.ts";

/** Every story of PVC protection. */
export const stories: readonly Story[] = [
  ...protecting,
  ...releasing,
  ...users,
  ...replacement,
  ...clusterLife,
  ...disturbance,
  ...lateBinding,
  ...quiet,
];
