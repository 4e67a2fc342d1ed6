import type { Broken } from "../../broken/broken.ts";
import { wrongClaims } from "./wrong-claims.ts";
import { wrongEnds } from "./wrong-ends.ts";
import { wrongTimes } from "./wrong-times.ts";

/** Every broken function. */
export const broken: readonly Broken[] = [...wrongClaims, ...wrongEnds, ...wrongTimes];
