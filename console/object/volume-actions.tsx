import type { PersistentVolumeObject } from "../../functions/volume/lib/persistent-volume.ts";
import type { VolumeObject } from "../../functions/volume/lib/volume.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { useList } from "../api/use-list.ts";
import { Act } from "../parts/act.tsx";
import { deleteVolume } from "../volumes/delete-volume.ts";

/** What may be done with a Volume. */
export function VolumeActions({ volume }: { readonly volume: VolumeObject }) {
  const { name } = volume.metadata;
  const found = useList<PersistentVolumeObject>(PersistentVolume, { fieldSelector: `metadata.name=${name}` });
  const persistent = found.is === "ready" ? new Map(found.objects.map((one) => [name, one])) : undefined;
  return <Act action={deleteVolume(volume, persistent)} />;
}
