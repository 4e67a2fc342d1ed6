import type { Mutant } from "../../mutants/mutant.ts";
import { carelessProtection } from "./careless-protection.ts";
import { carelessReads } from "./careless-reads.ts";
import { carelessWrites } from "./careless-writes.ts";
import { forgetful } from "./forgetful.ts";
import { wrongVerdicts } from "./wrong-verdicts.ts";

/** Every mutant. */
export const mutants: readonly Mutant[] = [
  ...carelessProtection,
  ...carelessReads,
  ...carelessWrites,
  ...wrongVerdicts,
  ...forgetful,
];
