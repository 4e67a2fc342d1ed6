import type { LivenessCheck } from "../../liveness/liveness-check.ts";
import { claimsAreProtected } from "./claims-are-protected.ts";
import { claimsGo } from "./claims-go.ts";
import { eventsGo } from "./events-go.ts";
import { progressGoes } from "./progress-goes.ts";

/** What must have come about in the end where PVC protection is installed. */
export const liveness: readonly LivenessCheck[] = [claimsAreProtected, claimsGo, progressGoes, eventsGo];
