import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent } from "../../../shared/steps.ts";
import { whileDeleting } from "../../../shared/sweep.ts";
import { LinstorSatellite, onMachine } from "../lib/kinds.ts";
import { lookAtSatellite, lookAtVolumes, type SatelliteSeen } from "../lib/look.ts";
import { mayLook } from "../lib/permissions.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { satelliteRule } from "../lib/satellite-rule.ts";
import { nextLook } from "../lib/step-rule.ts";
import { isGoing, markedIn, ofMachine, satellitesIn } from "../lib/subjects.ts";
import { traces } from "../lib/traces.ts";
import type { VolumeFacts } from "../lib/volumes/volume-facts.ts";

const name = "satellite/retain";

/** A satellite with the volumes of its node; `undefined` when it is gone. */
export type Facts = (SatelliteSeen & { readonly volumes: readonly VolumeFacts[] }) | undefined;

export const retain = rule({
  name,
  doc: "Lets a LinstorSatellite with the policy Retain go, and leaves its data and its node in LINSTOR as they are.",
  ...satelliteRule,
  wakes: [on(LinstorSatellite, ["update"]), ...onMachine(["update"]), on(PersistentVolume, ["update"])],
  may: mayLook({ volumes: "list" }),
  sweep: [whileDeleting(LinstorSatellite, satelliteFinalizer)],
  finalizers: [{ kind: LinstorSatellite, finalizer: satelliteFinalizer }],
  steps: { cleaning: silent },
  subjects: (hint) => [...satellitesIn(hint, name, isGoing), ...ofMachine(hint, false), ...markedIn(hint)],
  look: async ({ name = "" }, { client }): Promise<Facts> => {
    const seen = await lookAtSatellite(client, name);
    return seen && { ...seen, volumes: (await lookAtVolumes(client, name)).facts };
  },
  decide,
});

function decide(seen: Facts, now: number): readonly Decision[] {
  if (!seen) return [];
  const { satellite, policy, foreign } = seen;
  const { leave, wait, write } = about(LinstorSatellite, satellite);
  const title = `LinstorSatellite ${satellite.metadata.name}`;
  const isOurs = policy === "Retain" && isBeingDeleted(satellite) && hasFinalizer(satellite, satelliteFinalizer);
  if (!isOurs || foreign) return [leave(foreign ?? `${title} is not to be retained now.`)];
  const left = traces(seen);
  if (left)
    return [
      wait(`${title} goes when what an evacuation has left is removed: ${left}.`, {
        step: { name: "cleaning" },
        next: nextLook(satellite, name, now),
      }),
    ];
  const because = `${title} goes; its node and its data stay in LINSTOR, and are used again when it is re-created.`;
  return [write(because, [removeFinalizer(LinstorSatellite, satellite, satelliteFinalizer)])];
}
