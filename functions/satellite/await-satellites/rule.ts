import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on, rule } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import { type ChainFacts, chainRule } from "../lib/chain-rule.ts";
import { listed } from "../lib/data/copies.ts";
import { ignored } from "../lib/evacuation.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import type { LeavingSeen, SatelliteSeen } from "../lib/look.ts";
import { mayStep } from "../lib/permissions.ts";
import { decideStep, passedSteps } from "../lib/step-rule.ts";
import { allLeaving } from "../lib/subjects.ts";

const name = "satellite/await-satellites";

export const awaitSatellites = rule({
  name,
  doc:
    "Holds an evacuation until every other satellite is ready, for a time: then it goes on, " +
    "and names those that are not.",
  ...chainRule,
  wakes: [on(LinstorSatellite, ["add", "update", "delete"])],
  may: mayStep({ events: true }),
  steps: passedSteps,
  // Any satellite may be what another one waits for.
  subjects: (hint) => (hint.kind === LinstorSatellite.kind ? [allLeaving] : []),
  decide: (facts: ChainFacts, now) => [
    ...facts.flatMap((seen) => warningOf(seen, now)),
    ...decideStep("await-satellites", facts, now, (context) => [
      context.wait(context.record?.awaited ? {} : { awaited: new Date(now).toISOString() }),
    ]),
  ],
});

/** Once: when the wait is given up, which its own annotation shows. */
function warningOf(seen: SatelliteSeen | LeavingSeen, now: number): readonly Decision[] {
  if (!("facts" in seen) || !readProgress(seen.satellite, name)) return [];
  const names = ignored({ ...seen.facts, now });
  if (names.length === 0) return [];
  const because =
    `The evacuation of LinstorSatellite ${seen.satellite.metadata.name} goes on although LinstorSatellites are ` +
    `not ready: ${listed(names)}. Repair them, or delete those that will not come back.`;
  return [about(LinstorSatellite, seen.satellite).record(because, warning("SatellitesNotReady"))];
}
