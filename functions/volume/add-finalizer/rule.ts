import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { addFinalizers, hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { lacking } from "../../../shared/sweep.ts";
import { jobProgress } from "../lib/job-progress.ts";
import { Volume } from "../lib/kinds.ts";
import { volumesIn } from "../lib/subjects.ts";
import { hasFailedForGood, statusWrites, type VolumeObject, volumeFinalizer } from "../lib/volume.ts";

const name = "volume/add-finalizer";

/** The Volume as it is now; `undefined` when it is gone. */
export type Facts = VolumeObject | undefined;

export const addFinalizer = rule({
  name,
  doc: "Puts the finalizer on a new Volume before anything is made on its node, and refuses one that cannot be made.",
  settings: z.object({}),
  triggers: [on(Volume, ["add", "update"])],
  permissions: [
    {
      resource: Volume,
      verbs: ["get", "patch"],
      writes: { finalizers: [volumeFinalizer] },
      why: "to add the finalizer before anything is made on the node",
    },
    {
      resource: Volume,
      subresource: "status",
      verbs: ["patch"],
      writes: { conditions: ["Ready"], fields: ["status.phase"] },
      why: "to say in the phase and condition why a Volume cannot be made",
    },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the Volume what is wrong with its spec, and to delete that Event",
    },
  ],
  sweep: [lacking(Volume, volumeFinalizer)],
  subjects: (hint) => volumesIn(hint, (volume) => !isBeingDeleted(volume) && !hasFinalizer(volume, volumeFinalizer)),
  progressName: jobProgress,
  steps: { accepted: silent },
  look: ({ name = "" }, { client }): Promise<Facts> => client.get<VolumeObject>(Volume, undefined, name),
  decide,
});

/** When the storage is begun at the latest. Milliseconds. */
const nextLook = 30_000;

function decide(volume: Facts, now: number): readonly Decision[] {
  if (!volume) return [];
  const { wait, write } = about(Volume, volume);
  const title = `Volume ${volume.metadata.name}`;
  // Without a step: what is written down by now is the next rule's.
  if (isBeingDeleted(volume) || hasFailedForGood(volume) || hasFinalizer(volume, volumeFinalizer))
    return [wait(`${title} has the finalizer, or is not to get it.`)];
  const fault = faultOf(volume);
  if (fault) {
    const message = `Invalid volume: ${fault}`;
    const writes = statusWrites(volume, { phase: "Failed", reason: "InternalError", message }, now);
    return [write(message, writes, { event: warning("InvalidVolume") })];
  }
  const message = `${title} gets ${volumeFinalizer}, so that its storage is reclaimed before it goes.`;
  // From here on the sweep selects the Volume, should the event of this write be lost.
  const more = { step: { name: "accepted" }, next: now + nextLook };
  return [write(message, [addFinalizers(Volume, volume, [volumeFinalizer])], more)];
}

/** What is left to check where another installation's schema, without Holdfast's validation, has let the Volume in. */
function faultOf({ spec }: VolumeObject): string | undefined {
  const sources = ["sparseLoopDevice", "rawBlockDevice", "lvmLogicalVolume"] as const;
  const given = sources.filter((source) => spec[source] !== undefined);
  if (given.length === 1) return undefined;
  const list = sources.join(", ");
  if (given.length === 0)
    return `volume type not found in Volume Spec: set one of ${list}. Delete it, and create it again.`;
  const names = given.join(", ");
  return `more than one volume type in Volume Spec (${names}): set one of ${list}. Delete it, and create it again.`;
}
