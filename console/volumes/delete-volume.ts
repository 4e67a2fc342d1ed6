import { Volume } from "../../functions/volume/lib/kinds.ts";
import type { PersistentVolumeObject } from "../../functions/volume/lib/persistent-volume.ts";
import type { VolumeObject } from "../../functions/volume/lib/volume.ts";
import type { Action } from "../parts/act.tsx";
import { persistentVolumeOf, storageOf, whyNotDeletable } from "./volume-state.ts";

/**
 * Deletes a Volume, where the document's decision tree says that this leads to its end at once. `persistent`: the
 * PersistentVolumes by name; `undefined` where they are not known.
 */
export function deleteVolume(
  volume: VolumeObject,
  persistent: ReadonlyMap<string, PersistentVolumeObject> | undefined,
): Action {
  const { name, uid } = volume.metadata;
  return {
    label: "Delete",
    does:
      `This deletes the Volume ${name}. Node ${volume.spec.nodeName} reclaims its storage (${storageOf(volume)}). ` +
      (volume.spec.sparseLoopDevice
        ? "The file is removed with all its data."
        : "The data stays on it: wipe it before another Volume uses it."),
    command: `kubectl delete ${Volume.plural}.${Volume.apiVersion.split("/")[0]} ${name}`,
    write: { verb: "delete", kind: Volume, name, uid },
    isDanger: true,
    refused: persistent
      ? whyNotDeletable(volume, persistentVolumeOf(volume, persistent))
      : "Whether a claim uses it is not known: its PersistentVolume cannot be read.",
  };
}
