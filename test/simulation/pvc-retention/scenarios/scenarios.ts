import type { Scenario } from "../../scenario.ts";
import {
  goesWithItsSet,
  keptAtTheLastMoment,
  leftByItsSet,
  recreated,
  setDeleted,
  setDeletedByRules,
  setDeletedScaledProjected,
  setDeletedWithoutField,
} from "./deleted.ts";
import { graceAfterDeletion, graceAfterScaleDown, graceAndBack, graceChanges, markedByHand } from "./graced.ts";
import { claimsMadeBefore, rivalSets } from "./others.ts";
import {
  keptInTime,
  namespaceDefault,
  namespaceTurns,
  policyFlips,
  policyFlipsByRules,
  policyGone,
  policyTurns,
  policyTurnsBack,
  rollingUpdate,
} from "./policies.ts";
import { ordinalsMoved, scaledByRules, scaledDownAndUp, scaledWithoutField } from "./scaled.ts";

/** Every scenario of PVC retention. */
export const scenarios: readonly Scenario[] = [
  scaledDownAndUp,
  scaledByRules,
  scaledWithoutField,
  ordinalsMoved,
  setDeleted,
  setDeletedScaledProjected,
  setDeletedByRules,
  setDeletedWithoutField,
  goesWithItsSet,
  leftByItsSet,
  keptAtTheLastMoment,
  recreated,
  policyFlips,
  policyFlipsByRules,
  keptInTime,
  policyTurns,
  policyTurnsBack,
  policyGone,
  namespaceTurns,
  namespaceDefault,
  rollingUpdate,
  rivalSets,
  claimsMadeBefore,
  graceAfterScaleDown,
  graceAndBack,
  markedByHand,
  graceAfterDeletion,
  graceChanges,
];
