import type { Broken } from "./broken.ts";
import { carelessReads } from "./careless-reads.ts";
import { carelessWrites } from "./careless-writes.ts";
import { forgetful } from "./forgetful.ts";
import { wrongVerdicts } from "./wrong-verdicts.ts";

/** Faults that no scenario brings out yet within its runs: listed, so that nobody takes them for found. */
export const unseen: readonly string[] = ["pods-before-claims", "ours-before-in-tree", "stopping-is-stopped"];

/** Every broken function that the simulation finds. */
export const broken: readonly Broken[] = [...carelessReads, ...carelessWrites, ...wrongVerdicts, ...forgetful].filter(
  ({ name }) => !unseen.includes(name),
);
