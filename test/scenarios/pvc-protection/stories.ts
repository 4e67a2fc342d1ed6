import type { Story } from "../story.ts";
import { clusterLife } from "./cluster-life.ts";
import { disturbance } from "./disturbance.ts";
import { lateBinding } from "./late-binding.ts";
import { misconfiguration } from "./misconfiguration.ts";
import { protecting } from "./protecting.ts";
import { quiet } from "./quiet.ts";
import { releasing } from "./releasing.ts";
import { replacement } from "./replacement.ts";
import { selection } from "./selection.ts";
import { alone, beside, documentMode, standIn } from "./settings.ts";
import { users } from "./users.ts";

const told: readonly Story[] = [
  // What takes long on a real control plane begins first.
  ...clusterLife,
  ...protecting,
  ...releasing,
  ...users,
  ...replacement,
  ...disturbance,
  ...lateBinding,
  ...quiet,
  ...selection,
  ...misconfiguration,
];

/** Every story of PVC protection. Those that do not say where they are told are told wherever the functions are set up rightly. */
export const stories: readonly Story[] = told.map((story) => ({
  ...story,
  settings: story.settings ?? [beside, alone, documentMode, standIn],
}));
