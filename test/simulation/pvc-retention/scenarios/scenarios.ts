import type { Scenario } from "../../scenario.ts";
import { keptAtTheLastMoment, recreated, setDeleted } from "./deleted.ts";
import { claimsMadeBeside, fieldApplied, fieldFoughtOver, leftWithoutPolicy, rescued, rivalSets } from "./others.ts";
import {
  keptInTime,
  namespaceDefault,
  namespaceTurns,
  policyFlips,
  policyGone,
  policyTurns,
  policyTurnsAtOnce,
  policyTurnsBack,
  rollingUpdate,
} from "./policies.ts";
import { scaledDownAndUp } from "./scaled.ts";

/** Every scenario of PVC retention. */
export const scenarios: readonly Scenario[] = [
  scaledDownAndUp,
  setDeleted,
  keptAtTheLastMoment,
  recreated,
  policyFlips,
  keptInTime,
  policyTurns,
  policyTurnsAtOnce,
  policyTurnsBack,
  policyGone,
  namespaceTurns,
  namespaceDefault,
  rollingUpdate,
  rivalSets,
  claimsMadeBeside,
  leftWithoutPolicy,
  rescued,
  fieldApplied,
  fieldFoughtOver,
];
