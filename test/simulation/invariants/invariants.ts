import { writesMakeProgress } from "../liveness/writes-make-progress.ts";
import type { Invariant } from "./invariant.ts";
import { writesLittle } from "./writes-little.ts";
import { writesOntoWhatWasRead } from "./writes-onto-what-was-read.ts";

/** What must hold after every write, with any systems. */
export const invariants: readonly Invariant[] = [writesOntoWhatWasRead, writesMakeProgress, writesLittle];
