import { policyKey } from "../../functions/pvc-retention/lib/policy.ts";
import { PersistentVolumeClaim, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { progressKey } from "../../shared/progress.ts";
import { statefulSet } from "../../test/harness/manifest.ts";
import type { Server } from "../../test/harness/server.ts";

type Source = KubernetesObject & { spec: { resources: { selector?: object }[] } };
type Service = KubernetesObject & { spec: { template: { metadata: { annotations: Record<string, string> } } } };

/** Sources that send events of Holdfast's own pods, too. */
export function withOwnPods(object: KubernetesObject): KubernetesObject {
  if (object.kind !== "ApiServerSource") return object;
  const { spec } = object as Source;
  const resources = spec.resources.map(({ selector: _, ...resource }) => resource);
  return { ...object, spec: { ...spec, resources } };
}

/** A sweep that comes every minute and is there for ten idle seconds. */
export function everyMinute(object: KubernetesObject): KubernetesObject {
  if (object.kind === "PingSource") return { ...object, spec: { ...(object.spec as object), schedule: "* * * * *" } };
  if (object.kind !== "Service" || object.metadata.name !== "platform-sweep") return object;
  const sweep = structuredClone(object) as Service;
  sweep.spec.template.metadata.annotations["autoscaling.knative.dev/window"] = "10s";
  return sweep;
}

const tenMinutes = 600_000;

/** A set that Holdfast has made the owner of a removed replica's claim, because its policy began to delete later. */
export async function tiedClaim({ admin, eventually }: Server): Promise<void> {
  const [namespace, name] = ["default", "scaled"];
  const annotations = { [policyKey]: "Retain" };
  const claimOf = () => admin.get<KubernetesObject>(PersistentVolumeClaim, namespace, `data-${name}-1`);
  const spec = {
    replicas: 2,
    podManagementPolicy: "Parallel",
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "standard",
          resources: { requests: { storage: "1Gi" } },
        },
      },
    ],
  };
  await admin.create(StatefulSet, statefulSet({ namespace, name, annotations }, spec));
  const isNoted = async () => progressKey("pvc-retention/set-owner") in ((await claimOf())?.metadata.annotations ?? {});
  await eventually("the claim is noted", isNoted, tenMinutes);
  await admin.patch(StatefulSet, namespace, name, "merge", { spec: { replicas: 1 } });
  const isScaled = async () => {
    const set = await admin.get<KubernetesObject & { status?: { replicas?: number } }>(StatefulSet, namespace, name);
    return set?.status?.replicas === 1;
  };
  await eventually("the replica is gone", isScaled, tenMinutes);
  const changed = { [policyKey]: "DeleteOnStatefulSetDeletionOnly" };
  await admin.patch(StatefulSet, namespace, name, "merge", { metadata: { annotations: changed } });
  await eventually("the set owns it", async () => (await claimOf())?.metadata.ownerReferences, tenMinutes);
}
