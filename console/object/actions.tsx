import { Volume } from "../../functions/volume/lib/kinds.ts";
import type { PersistentVolumeObject } from "../../functions/volume/lib/persistent-volume.ts";
import type { VolumeObject } from "../../functions/volume/lib/volume.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { useList } from "../api/use-list.ts";
import { Act } from "../parts/act.tsx";
import { deleteVolume } from "../volumes/delete-volume.ts";

/** What may be done with an object here; nothing for most kinds. */
export function actionsFor(object: KubernetesObject): React.ReactNode {
  return object.kind === Volume.kind ? <OnVolume volume={object as VolumeObject} /> : undefined;
}

function OnVolume({ volume }: { readonly volume: VolumeObject }) {
  const { name } = volume.metadata;
  const found = useList<PersistentVolumeObject>(PersistentVolume, { fieldSelector: `metadata.name=${name}` });
  const persistent = found.is === "ready" ? new Map(found.objects.map((one) => [name, one])) : undefined;
  return <Act action={deleteVolume(volume, persistent)} />;
}
