import type { LivenessCheck } from "../liveness/liveness-check.ts";
import { isAvailable, jobIn, publishedOf, readyOf, storageOf, volumesOf } from "./volumes.ts";

/** A Volume is Available with all that belongs to it, or has failed with a reason that people can read. */
const volumesAreMade: LivenessCheck = {
  name: "volumes-are-made",
  check(truth) {
    for (const volume of volumesOf(truth)) {
      const name = `Volume ${volume.metadata.name}`;
      if (volume.metadata.deletionTimestamp) continue;
      const ready = readyOf(volume);
      if (isAvailable(volume)) {
        if (jobIn(volume)) return `${name} is Available, and has job ${jobIn(volume)} in hand.`;
        if (!publishedOf(truth, volume)) return `${name} is Available, and has no PersistentVolume.`;
        continue;
      }
      if (ready?.status !== "False") return `${name} is ${volume.status?.phase ?? "without a status"} still.`;
      if (!ready.reason || !ready.message) return `${name} has failed, and does not say why.`;
    }
    return undefined;
  },
};

/** A Volume that was deleted is gone, unless a claim holds it, and so is what the node had of it. */
const deletedVolumesGo: LivenessCheck = {
  name: "deleted-volumes-go",
  check(truth) {
    const all = volumesOf(truth);
    for (const volume of all) {
      const isBound = publishedOf(truth, volume)?.status?.phase === "Bound";
      if (volume.metadata.deletionTimestamp && !isBound)
        return `Volume ${volume.metadata.name} is still there (${readyOf(volume)?.message}).`;
    }
    const { files, records } = storageOf(truth);
    const uids = all.map(({ metadata }) => metadata.uid);
    const stray = [...files.keys(), ...records.keys()].find((key) => !uids.includes(key.replace(/\.new$/, "")));
    return stray && `The node has storage of a Volume that is gone: ${stray}.`;
  },
};

/** People can read which device it is. */
const devicesAreKnown: LivenessCheck = {
  name: "devices-are-known",
  check(truth) {
    const nameless = volumesOf(truth).find(
      (volume) => isAvailable(volume) && !volume.metadata.deletionTimestamp && !volume.status?.deviceName,
    );
    return nameless && `The device of Volume ${nameless.metadata.name} is not known.`;
  },
};

/** What must have come about in the end where Volumes are installed. */
export const liveness: readonly LivenessCheck[] = [volumesAreMade, deletedVolumesGo, devicesAreKnown];
