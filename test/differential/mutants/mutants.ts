import { actsOnAge } from "./acts-on-age.ts";
import { actsOnName } from "./acts-on-name.ts";
import { forcesField } from "./forces-field.ts";
import type { Mutant } from "./mutant.ts";

/** Rules with a fault each, which the comparison with plain Kubernetes must find. */
export const mutants: readonly Mutant[] = [actsOnName, actsOnAge, forcesField];
