import type { End } from "../../ends/end.ts";
import { claimsGoWithTheirSet, condemnedClaimsGo, marksComeDue, replicasRun } from "./claims-are-right.ts";
import { fieldsFollow, finalizersHaveReasons, ownersFollow, tracesHaveReasons } from "./sets-are-right.ts";

/** What must have come about in the end where PVC retention is installed. */
export const ends: readonly End[] = [
  condemnedClaimsGo,
  marksComeDue,
  claimsGoWithTheirSet,
  replicasRun,
  fieldsFollow,
  finalizersHaveReasons,
  ownersFollow,
  tracesHaveReasons,
];
