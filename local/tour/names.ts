import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;

/** The one that takes longest, and is played only where it is asked for: its hard eviction takes a quiet machine. */
export const onDemand = "eviction";

/** All tours, in the order in which they are played: each is a folder beside this file, with a `tour.ts` in it. */
export const tourNames: readonly string[] = readdirSync(folder)
  .filter((name) => existsSync(join(folder, name, "tour.ts")))
  .sort((one, other) => Number(one === onDemand) - Number(other === onDemand) || one.localeCompare(other));

/** The names for a sentence: "a, b and c". */
export const listedTours = (word: "and" | "or"): string => tourNames.join(", ").replace(/, (?=[^,]*$)/, ` ${word} `);
