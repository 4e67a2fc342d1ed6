import { type About, about } from "../../../../shared/about.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import type { PersistentVolumeObject } from "./volume-facts.ts";

/** Where people look for a volume's Events: its claim, or the volume itself where nothing has claimed it. */
export function aboutVolume(volume: PersistentVolumeObject): About {
  const { namespace, name, uid } = volume.spec?.claimRef ?? {};
  const { apiVersion, kind } = PersistentVolumeClaim;
  const metadata = { namespace, name, uid } as KubernetesObject["metadata"];
  return name && uid
    ? about(PersistentVolumeClaim, { apiVersion, kind, metadata })
    : about(PersistentVolume, {
        ...volume,
        apiVersion: PersistentVolume.apiVersion,
        kind: PersistentVolume.kind,
      });
}
