import { csiDriver, type PersistentVolumeObject } from "../../../functions/satellite/lib/volumes.ts";
import type { ControllerTools } from "../../../local/controllers/controller.ts";
import { startObjectQueue } from "../../../local/controllers/object-queue.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";

const override = "override.piraeus.io/";
/** Between a plan and its execution: an annotation that is added meanwhile is lost. Milliseconds. */
const planAhead = 1000;

/**
 * The LINSTOR Affinity Controller as far as an evacuation needs it: a volume with an override is made again under its
 * name, without the node affinity that cannot be changed, and with the annotations that it had when that was planned.
 */
export function startAffinityController(tools: ControllerTools): void {
  const { client, clock, signal, reflections } = tools;
  const volumes = reflections.of<PersistentVolumeObject>(PersistentVolume);
  startObjectQueue(tools, {
    controller: "affinity-controller",
    objects: volumes,
    async work(volume) {
      const { name, annotations = {}, labels = {}, uid } = volume.metadata;
      const isOverridden = Object.keys(annotations).some((key) => key.startsWith(override));
      if (!volume.spec?.nodeAffinity || !isOverridden || volume.spec.csi?.driver !== csiDriver) return;
      await clock.sleep(planAhead, signal);
      const { nodeAffinity: _, ...spec } = volume.spec;
      await client.delete(PersistentVolume, undefined, name, uid ? { uid } : {});
      await client.patch(PersistentVolume, undefined, name, "merge", { metadata: { uid, finalizers: null } });
      const metadata = { name, labels, annotations } as unknown as PersistentVolumeObject["metadata"];
      await client.create(PersistentVolume, { apiVersion: "v1", kind: "PersistentVolume", metadata, spec });
    },
  });
}
