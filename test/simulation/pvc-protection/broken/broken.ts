import type { Broken } from "../../broken/broken.ts";
import { carelessProtection } from "./careless-protection.ts";
import { carelessReads } from "./careless-reads.ts";
import { carelessWrites } from "./careless-writes.ts";
import { forgetful } from "./forgetful.ts";
import { wrongVerdicts } from "./wrong-verdicts.ts";

/** Every broken function. */
export const broken: readonly Broken[] = [
  ...carelessProtection,
  ...carelessReads,
  ...carelessWrites,
  ...wrongVerdicts,
  ...forgetful,
];
