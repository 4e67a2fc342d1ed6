import { on } from "../../../shared/rule.ts";
import type { Subject } from "../../../shared/subject.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { LinstorSatellite } from "./kinds.ts";
import { linstor } from "./linstor/system.ts";
import { type ChainView, type LeavingSeen, lookAtChain, type SatelliteSeen } from "./look.ts";
import { satelliteFinalizer } from "./satellite.ts";
import { satelliteRule } from "./satellite-rule.ts";

/** Satellites with what their evacuation depends on. */
export type ChainFacts = readonly (SatelliteSeen | LeavingSeen)[];

/**
 * What the rules of the nine steps share, as far as they do not say otherwise: each looks at satellites that are being
 * evacuated.
 */
export const chainRule = {
  ...satelliteRule,
  wakes: [on(LinstorSatellite, ["update"])],
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer)],
  systems: { linstor },
  look: (subject: Subject, view: ChainView): Promise<ChainFacts> => lookAtChain(subject, view),
};
