import { Volume } from "../../functions/volume/lib/kinds.ts";
import type { PersistentVolumeObject } from "../../functions/volume/lib/persistent-volume.ts";
import type { VolumeObject } from "../../functions/volume/lib/volume.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { useList } from "../api/use-list.ts";
import { Act } from "../parts/act.tsx";
import { deleteVolume } from "../volumes/delete-volume.ts";
import { persistentVolumeOf } from "../volumes/volume-state.ts";

/** What may be done with an object here; nothing for most kinds. */
export function actionsFor(object: KubernetesObject): React.ReactNode {
  return object.kind === Volume.kind ? <OnVolume volume={object as VolumeObject} /> : undefined;
}

function OnVolume({ volume }: { readonly volume: VolumeObject }) {
  const { name } = volume.metadata;
  const found = useList<PersistentVolumeObject>(PersistentVolume, { fieldSelector: `metadata.name=${name}` });
  const unread =
    found.is === "ready" ? undefined : "Whether a claim uses it is not known: its PersistentVolume cannot be read.";
  const objects = found.is === "ready" ? found.objects : [];
  const action = deleteVolume(volume, persistentVolumeOf(volume, new Map(objects.map((one) => [name, one]))));
  return <Act action={{ ...action, refused: unread ?? action.refused }} />;
}
