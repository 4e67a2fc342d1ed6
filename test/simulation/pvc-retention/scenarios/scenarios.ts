import type { Scenario } from "../../scenario.ts";
import {
  recreated,
  setDeleted,
  setDeletedByRules,
  setDeletedScaledProjected,
  setDeletedWithoutField,
} from "./deleted.ts";
import { graceAfterDeletion, graceAfterScaleDown, graceChanges } from "./graced.ts";
import { claimsMadeBefore, rivalSets } from "./others.ts";
import {
  keptInTime,
  namespaceDefault,
  policyFlips,
  policyFlipsByRules,
  policyGone,
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
  recreated,
  policyFlips,
  policyFlipsByRules,
  keptInTime,
  policyGone,
  namespaceDefault,
  rollingUpdate,
  rivalSets,
  claimsMadeBefore,
  graceAfterScaleDown,
  graceAfterDeletion,
  graceChanges,
];
