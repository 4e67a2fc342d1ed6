import type { Scenario } from "../scenario.ts";
import { clusterLife } from "./cluster-life.ts";
import { disturbance } from "./disturbance.ts";
import { lateBinding } from "./late-binding.ts";
import { misconfiguration } from "./misconfiguration.ts";
import { protecting } from "./protecting.ts";
import { quiet } from "./quiet.ts";
import { releasing } from "./releasing.ts";
import { replacement } from "./replacement.ts";
import { selection } from "./selection.ts";
import { beside } from "./settings.ts";
import { users } from "./users.ts";

const all: readonly Scenario[] = [
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

/** Every scenario of PVC protection. Those that name no setting run as installed by default alone. */
export const scenarios: readonly Scenario[] = all.map((scenario) => ({
  ...scenario,
  settings: scenario.settings ?? [beside],
}));
