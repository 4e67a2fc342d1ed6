import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;

/** The one that takes longest, and needs OpenStack in the end: who looks on has seen the others then. */
const last = "eviction";

/** All tours, in the order in which they are played: each is a folder beside this file, with a `tour.ts` in it. */
export const tourNames: readonly string[] = readdirSync(folder)
  .filter((name) => existsSync(join(folder, name, "tour.ts")))
  .sort((one, other) => Number(one === last) - Number(other === last) || one.localeCompare(other));

/** The names for a sentence: "a, b and c". */
export const listedTours = (word: "and" | "or"): string => tourNames.join(", ").replace(/, (?=[^,]*$)/, ` ${word} `);
