import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { normal, warning } from "../../../shared/steps.ts";
import { resync } from "../../../shared/sweep.ts";
import { volumeStep } from "../lib/chain.ts";
import { Volume } from "../lib/kinds.ts";
import { type ChainFacts, lookAtVolume } from "../lib/look.ts";
import { isOf } from "../lib/persistent-volume.ts";
import { ownersIn, volumesIn } from "../lib/subjects.ts";
import { phaseOf, phaseWrites, reasonOf, statusWrites, volumeFinalizer } from "../lib/volume.ts";

const name = "volume/report-health";

/** A Volume and its PersistentVolume; `undefined` when the Volume is gone. */
export type Facts = ChainFacts | undefined;

export const reportHealth = rule({
  name,
  doc: "Says on a Volume whether its PersistentVolume is available, has failed, or is being deleted without it.",
  settings: z.object({}),
  triggers: [on(PersistentVolume, ["update"])],
  permissions: [
    { resource: Volume, verbs: ["get"], why: "to see what is known of the Volume so far" },
    {
      resource: Volume,
      subresource: "status",
      verbs: ["patch"],
      writes: { conditions: ["Ready"], fields: ["status.phase"] },
      why: "to show in the phase and condition whether the Volume is available",
    },
    {
      resource: PersistentVolume,
      verbs: ["get"],
      why: "to see whether the PersistentVolume has failed or is being deleted",
    },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the Volume that it is unavailable, and to delete that Event when it is back",
    },
  ],
  sweep: [resync(Volume)],
  subjects: (hint) => [...volumesIn(hint, () => false), ...ownersIn(hint)],
  look: async ({ name = "" }, { client }): Promise<Facts> => lookAtVolume(client, name),
  decide,
});

function decide(facts: Facts, now: number): readonly Decision[] {
  if (!facts) return [];
  const { volume, persistentVolume } = facts;
  const { leave, write } = about(Volume, volume);
  const title = `Volume ${volume.metadata.name}`;
  const known = phaseOf(volume);
  const isJudged = known === "Available" || reasonOf(volume) === "UnavailableError";
  const isSettled = !isBeingDeleted(volume) && hasFinalizer(volume, volumeFinalizer) && volumeStep(facts) === undefined;
  if (!persistentVolume || !isOf(persistentVolume, volume) || !isSettled || !isJudged) {
    // Of a Volume that MetalK8s' operator has left: it knew no phase, and the column would stay empty.
    const shown = known === "Unknown" ? [] : phaseWrites(volume);
    if (shown.length > 0) return [write(`${title} is ${known}.`, shown)];
    return [leave(`${title} has no PersistentVolume that says how it is.`)];
  }
  const { phase, reason, message: said } = persistentVolume.status ?? {};
  if (phase === "Failed") {
    const message = `The PersistentVolume has failed (${reason || "no reason"}): ${said || "it says no more"}.`;
    const writes = statusWrites(volume, { phase: "Failed", reason: "UnavailableError", message }, now);
    return writes.length > 0 ? [write(message, writes, { event: warning("VolumeUnavailable") })] : [leave(message)];
  }
  const message = isBeingDeleted(persistentVolume)
    ? "The PersistentVolume is being deleted, and goes with the Volume: delete that, too."
    : "";
  const writes = statusWrites(volume, { phase: "Available", message }, now);
  if (writes.length === 0) return [leave(`${title} is available.`)];
  const back = known === "Failed" ? { event: normal("VolumeAvailable") } : {};
  return [write(message || `${title} is available.`, writes, back)];
}
