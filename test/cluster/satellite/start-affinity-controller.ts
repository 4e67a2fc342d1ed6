import { keyOf } from "../../../eventing/watch/reflect.ts";
import { csiDriver } from "../../../functions/satellite/lib/names.ts";
import type { PersistentVolumeObject } from "../../../functions/satellite/lib/volumes/volume-facts.ts";
import type { ControllerTools } from "../../../local/controllers/controller.ts";
import { startWorkQueue } from "../../../local/controllers/work-queue.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";

const override = "override.piraeus.io/";
/** Between a plan and its execution: an annotation that is added meanwhile is lost. Milliseconds. */
const planAhead = 1000;

/**
 * The LINSTOR Affinity Controller as far as an evacuation needs it: a volume with an override is made anew under its
 * name, without the node affinity that cannot be changed, and with the annotations that it had when that was planned.
 */
export function startAffinityController({ client, clock, signal, reflections, trouble }: ControllerTools): void {
  const volumes = reflections.of<PersistentVolumeObject>(PersistentVolume);
  const queue = startWorkQueue({
    clock,
    signal,
    ready: volumes.synced,
    async work(name) {
      const volume = volumes.get(undefined, name);
      const { annotations = {}, labels = {}, uid } = volume?.metadata ?? {};
      const isOverridden = Object.keys(annotations).some((key) => key.startsWith(override));
      if (!volume?.spec?.nodeAffinity || !isOverridden || volume.spec.csi?.driver !== csiDriver) return;
      await clock.sleep(planAhead, signal);
      const { nodeAffinity: _, ...spec } = volume.spec;
      await client.delete(PersistentVolume, undefined, name, uid ? { uid } : {});
      await client.patch(PersistentVolume, undefined, name, "merge", { metadata: { uid, finalizers: null } });
      const metadata = { name, labels, annotations } as unknown as PersistentVolumeObject["metadata"];
      await client.create(PersistentVolume, { apiVersion: "v1", kind: "PersistentVolume", metadata, spec });
    },
    failed: (subject, error) => trouble({ controller: "affinity-controller", subject, error }),
  });
  volumes.on((change, volume) => {
    if (change !== "delete") queue.add(keyOf(volume));
  });
}
