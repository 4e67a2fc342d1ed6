import { about } from "../../../shared/about.ts";
import { chainRule } from "../../../shared/chain/chain-rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import { listed } from "../lib/data/data-facts.ts";
import { evacuation, ignored } from "../lib/evacuation.ts";
import type { LookedSatellite } from "../lib/evacuation-facts.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { recordKey, recordWrites } from "../lib/record.ts";
import { mayStep } from "../lib/satellite-rule.ts";
import { allLeaving } from "../lib/subjects.ts";

export const awaitSatellites = chainRule(evacuation, "await-satellites", {
  doc:
    "Holds an evacuation until every other satellite is ready. After a time it goes on, " +
    "and names those that are not ready.",
  triggers: [on(LinstorSatellite, ["add", "update", "delete"])],
  permissions: mayStep({
    why: "to see whether all other satellites are ready, and to note since when the evacuation waits for them",
    writes: { annotations: [recordKey] },
    events: "the satellite",
  }),
  // Any satellite may be what another one waits for.
  subjects: (hint) => (hint.kind === LinstorSatellite.kind ? [allLeaving] : []),
  beside: ({ seen }, now) => seen.flatMap((one) => warningOf(one, now)),
  act: ({ satellite, record, now, wait }) => [
    wait(record?.awaited ? [] : recordWrites(satellite, now, { awaited: new Date(now).toISOString() })),
  ],
});

/** Once: when the wait is given up, which its own annotation shows. */
function warningOf({ satellite, facts }: LookedSatellite, now: number): readonly Decision[] {
  if ((facts.is !== "ready" && facts.is !== "abandoned") || !readProgress(satellite, awaitSatellites.name)) return [];
  const names = ignored(facts, now);
  if (names.length === 0) return [];
  const message =
    `The evacuation of LinstorSatellite ${satellite.metadata.name} goes on although LinstorSatellites are ` +
    `not ready: ${listed(names)}. Repair them, or delete those that will not come back.`;
  return [about(LinstorSatellite, satellite).record(message, warning("SatellitesNotReady"))];
}
