import type { Client } from "../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { Namespace } from "../../test/harness/kinds.ts";
import { claim, manifest } from "../../test/harness/manifest.ts";
import { inLanes } from "../plane/in-lanes.ts";
import { pod } from "../pods.ts";

export const namespace = "shop";
const podBytes = 5000;
const nodes = 50;

/** Creates the namespace with pods that use no claim. */
export async function furnish(admin: Client, bystanders: number): Promise<void> {
  await admin.create(Namespace, manifest(Namespace, { name: namespace }));
  await createPods(
    admin,
    Array.from({ length: bystanders }, (_, index) => ({ name: `web-${index}` })),
  );
}

/** Deletes some of these pods: from one index to, but without, another. */
export async function removePods(admin: Client, from: number, to: number): Promise<void> {
  const names = Array.from({ length: to - from }, (_, index) => `web-${from + index}`);
  await inLanes(names, (name) => admin.delete(Pod, namespace, name, { gracePeriodSeconds: 0 }));
}

/**
 * Creates claims, and where they are to be used a pod for each; answers the claims' names. A pod has the name of its
 * claim.
 */
export async function createClaims(admin: Client, prefix: string, count: number, used: boolean): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  await inLanes(names, (name) => admin.create(PersistentVolumeClaim, claim({ namespace, name })));
  if (used)
    await createPods(
      admin,
      names.map((name) => ({ name, claim: name })),
    );
  return names;
}

/** Bound at once, by hand: there is no scheduler, and no kubelet that would need their nodes. */
async function createPods(admin: Client, pods: readonly { name: string; claim?: string }[]): Promise<void> {
  const indexed = pods.map((each, index) => ({ ...each, node: `node-${index % nodes}` }));
  await inLanes(indexed, (each) => {
    const object: unknown = pod({ namespace, bytes: podBytes, asCreated: true, ...each });
    return admin.create(Pod, object as KubernetesObject);
  });
}
