import type { PersistentVolumeObject } from "../../functions/satellite/lib/volumes.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ControllerTools } from "../controllers/controller.ts";

const isOverride = (key: string) => key.startsWith("override.piraeus.io/");

/**
 * The LINSTOR Affinity Controller in miniature: a volume with an override is made again without its node affinity,
 * which is immutable, after `delay` milliseconds (10,000 by default). Of the annotations it keeps the overrides alone:
 * what was added since it planned is lost, as the real one loses it.
 */
export function startAffinityController(
  { client, clock, signal, reflections, trouble }: ControllerTools,
  delay = 10_000,
): void {
  const planned = new Set<string>();
  reflections.of<PersistentVolumeObject>(PersistentVolume).on((change, { metadata, spec, status }) => {
    const { annotations = {}, name, uid } = metadata;
    const overrides = Object.entries(annotations).filter(([key]) => isOverride(key));
    if (status?.phase === "Released") return;
    if (change === "delete" || !overrides.length || !spec?.nodeAffinity || planned.has(uid)) return;
    planned.add(uid);
    const { nodeAffinity: _, ...free } = spec;
    const { apiVersion, kind } = PersistentVolume;
    const fresh = { name, annotations: Object.fromEntries(overrides) };
    const replace = async () => {
      await client.patch(PersistentVolume, undefined, name, "merge", { metadata: { uid, finalizers: null } });
      await client.delete(PersistentVolume, undefined, name, { uid });
      const object = { apiVersion, kind, metadata: fresh, spec: free } as unknown as KubernetesObject;
      await client.create(PersistentVolume, object);
    };
    clock.after(delay, () => {
      if (signal.aborted) return;
      replace().catch((error) => {
        // Another client has deleted it meanwhile.
        if (!signal.aborted && !(error instanceof ApiError && error.status === 404))
          trouble({ controller: "affinity-controller", subject: name, error });
      });
    });
  });
}
