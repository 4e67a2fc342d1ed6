import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { addFinalizers, hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event } from "../../../shared/kubernetes/kind.ts";
import { on, rule } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import { lacking } from "../../../shared/sweep.ts";
import { stepOf } from "../lib/chain.ts";
import { Volume } from "../lib/kinds.ts";
import { volumesIn } from "../lib/subjects.ts";
import { statusWrites, type VolumeObject, volumeFinalizer } from "../lib/volume.ts";

const name = "volume/accept";

/** The Volume as it is now; `undefined` when it is gone. */
export type Facts = VolumeObject | undefined;

export const accept = rule({
  name,
  doc: "Puts the finalizer on a new Volume before anything is made on its node, and refuses one that nobody can make.",
  settings: z.object({}),
  wakes: [on(Volume, ["add", "update"])],
  may: [
    { resource: Volume, verbs: ["get", "patch"] },
    { resource: Volume, subresource: "status", verbs: ["patch"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [lacking(Volume, volumeFinalizer)],
  subjects: (hint) => volumesIn(hint, (volume) => !isBeingDeleted(volume) && !hasFinalizer(volume, volumeFinalizer)),
  look: ({ name = "" }, { client }): Promise<Facts> => client.get<VolumeObject>(Volume, undefined, name),
  decide,
});

function decide(volume: Facts, now: number): readonly Decision[] {
  if (!volume) return [];
  const { leave, write } = about(Volume, volume);
  const title = `Volume ${volume.metadata.name}`;
  if (isBeingDeleted(volume)) return [leave(`${title} is being deleted.`)];
  if (stepOf({ volume, persistentVolume: undefined }) !== "accept")
    return [leave(`${title} is accepted, or has failed.`)];
  const fault = faultOf(volume);
  if (fault) {
    const message = `Invalid volume: ${fault}`;
    const writes = statusWrites(volume, { phase: "Failed", reason: "InternalError", message }, now);
    return [write(message, writes, { event: warning("InvalidVolume") })];
  }
  const because = `${title} gets ${volumeFinalizer}, so that its storage is taken back before it goes.`;
  return [write(because, [addFinalizers(Volume, volume, [volumeFinalizer])])];
}

/** What is left to check where another installation's schema, without Holdfast's validation, has let the Volume in. */
function faultOf({ spec }: VolumeObject): string | undefined {
  const sources = ["sparseLoopDevice", "rawBlockDevice", "lvmLogicalVolume"] as const;
  const given = sources.filter((source) => spec[source] !== undefined);
  if (given.length === 1) return undefined;
  const list = sources.join(", ");
  if (given.length === 0)
    return `volume type not found in Volume Spec: set one of ${list}. Delete it and create it anew.`;
  const names = given.join(", ");
  return `more than one volume type in Volume Spec (${names}): set one of ${list}. Delete it and create it anew.`;
}
