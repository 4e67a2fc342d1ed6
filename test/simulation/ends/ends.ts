import { claimsAreProtected } from "./claims-are-protected.ts";
import { claimsGo } from "./claims-go.ts";
import type { End } from "./end.ts";
import { eventsGo } from "./events-go.ts";
import { progressGoes } from "./progress-goes.ts";

/** What must have come about when faults have ended and a few sweeps have passed. */
export const ends: readonly End[] = [claimsAreProtected, claimsGo, progressGoes, eventsGo];
