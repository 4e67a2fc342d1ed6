import type { End } from "../../ends/end.ts";
import { claimsAreProtected } from "./claims-are-protected.ts";
import { claimsGo } from "./claims-go.ts";
import { eventsGo } from "./events-go.ts";
import { progressGoes } from "./progress-goes.ts";

/** What must have come about in the end where PVC protection is installed. */
export const ends: readonly End[] = [claimsAreProtected, claimsGo, progressGoes, eventsGo];
