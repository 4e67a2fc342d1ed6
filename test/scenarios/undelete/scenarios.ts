import type { Scenario } from "../scenario.ts";
import { beingBound } from "./being-bound.ts";
import { comingBack } from "./coming-back.ts";
import { limits } from "./limits.ts";
import { namespaces } from "./namespaces.ts";
import { people } from "./people.ts";
import { quiet } from "./quiet.ts";
import { restoring } from "./restoring.ts";
import { scopes } from "./scopes.ts";
import { shipped } from "./settings.ts";
import { shapes } from "./shapes.ts";

/** Scenarios that do not say where they run run as installed by default. */
const byDefault = (scenario: Scenario): Scenario => ({ settings: [shipped], ...scenario });

/** Every scenario of undelete. */
export const scenarios: readonly Scenario[] = [
  ...comingBack,
  ...scopes,
  ...people,
  ...namespaces,
  ...shapes,
  ...beingBound,
  ...limits,
  ...restoring,
  ...quiet,
].map(byDefault);
