import { expect } from "vitest";
import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { claim } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  bareNode,
  claimGoes,
  claimIsHeld,
  claimStays,
  createPod,
  deleteClaim,
  deleteHeldByUs,
  isProtected,
  protectedClaim,
  removePod,
  setPhase,
  usedClaim,
} from "./helpers.ts";
import { beside, documentMode } from "./settings.ts";

/** A pod with a generic ephemeral volume `scratch`, whose claim is called `web-scratch`. */
async function ephemeralPod(cluster: Cluster, finalizers?: string[]): Promise<OwnerReference> {
  const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: claim({}).spec } } }];
  const created = await createPod(cluster, "web", [], bareNode, { volumes }, finalizers ? { finalizers } : {});
  await setPhase(cluster, "web", "Running");
  return { apiVersion: "v1", kind: "Pod", name: "web", uid: created.metadata.uid, controller: true };
}

/** The claim that Kubernetes makes for an ephemeral volume, where its controllers run; made here where they do not. */
async function ephemeralClaim(cluster: Cluster, owner: OwnerReference): Promise<void> {
  const { admin, namespace } = cluster;
  const metadata = { namespace, name: "web-scratch", ownerReferences: [{ ...owner, blockOwnerDeletion: true }] };
  await admin.create(PersistentVolumeClaim, claim(metadata)).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await isProtected(cluster, "web-scratch");
}

/** Which pods count as users, in unusual cases. */
export const users: readonly Scenario[] = [
  {
    title: "a pod in its grace period holds the claim",
    settings: [beside, documentMode],
    async run(cluster) {
      const { admin, namespace } = cluster;
      await usedClaim(cluster);
      await admin.delete(Pod, namespace, "web");
      await deleteHeldByUs(cluster, "data");
      await claimIsHeld(cluster, "data");
      await claimStays(cluster, "data");
      await removePod(cluster, "web");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "a pod on a lost node holds the claim until it is deleted by force",
    settings: [beside, documentMode],
    async run(cluster) {
      const { admin, namespace } = cluster;
      await usedClaim(cluster);
      await deleteHeldByUs(cluster, "data");
      const unknown = { phase: "Unknown", conditions: [{ type: "Ready", status: "Unknown" }] };
      await admin.patch(Pod, namespace, "web", "merge", { status: unknown }, { subresource: "status" });
      await admin.delete(Pod, namespace, "web");
      await claimStays(cluster, "data");
      await removePod(cluster, "web");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "a terminating pod whose containers have stopped holds the claim",
    async run(cluster) {
      await terminated(cluster);
      await claimIsHeld(cluster, "data");
      await claimStays(cluster, "data");
      await removePod(cluster, "web");
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "a terminating pod whose containers have stopped does not hold the claim",
    settings: [documentMode],
    async run(cluster) {
      await terminated(cluster);
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "a pod that is kept by a finalizer of its own holds its claim",
    async run(cluster) {
      const { admin, namespace } = cluster;
      await protectedClaim(cluster, "data");
      await createPod(cluster, "web", ["data"], bareNode, {}, { finalizers: ["a.example/hold"] });
      await setPhase(cluster, "web", "Running");
      await removePod(cluster, "web");
      await deleteHeldByUs(cluster, "data");
      await claimIsHeld(cluster, "data");
      await claimStays(cluster, "data");
      await admin.patch(Pod, namespace, "web", "merge", { metadata: { finalizers: null } });
      await claimGoes(cluster, "data");
    },
  },
  {
    title: "the claim of an ephemeral volume is held by its pod",
    async run(cluster) {
      await ephemeralClaim(cluster, await ephemeralPod(cluster));
      await deleteHeldByUs(cluster, "web-scratch");
      expect((await claimIsHeld(cluster, "web-scratch")).pods).toEqual([{ pod: "web", node: bareNode }]);
      await claimStays(cluster, "web-scratch");
      await removePod(cluster, "web");
      await claimGoes(cluster, "web-scratch");
    },
  },
  {
    title: "the claim of an ephemeral volume does not wait for a pod that is shut down and kept by a finalizer",
    async run(cluster) {
      const { admin, namespace } = cluster;
      await ephemeralClaim(cluster, await ephemeralPod(cluster, ["a.example/hold"]));
      await deleteHeldByUs(cluster, "web-scratch");
      await claimIsHeld(cluster, "web-scratch");
      await removePod(cluster, "web");
      // The pod is still there: no event of a deleted pod comes, and the claim waits for a change or the sweep.
      await admin.patch(PersistentVolumeClaim, namespace, "web-scratch", "merge", {
        metadata: { labels: { step: "1" } },
      });
      await claimGoes(cluster, "web-scratch");
      await admin.patch(Pod, namespace, "web", "merge", { metadata: { finalizers: null } });
    },
  },
  {
    title: "a claim that only has the name of an ephemeral volume's claim is not held by the pod",
    async run(cluster) {
      const { metadata } = await protectedClaim(cluster, "web-scratch");
      await ephemeralPod(cluster);
      await deleteClaim(cluster, "web-scratch");
      // Kubernetes makes the pod its own claim of that name afterwards.
      await claimGoes(cluster, "web-scratch", metadata.uid);
    },
  },
];

async function terminated(cluster: Cluster): Promise<void> {
  const { admin, namespace } = cluster;
  await usedClaim(cluster);
  await admin.delete(Pod, namespace, "web");
  await deleteHeldByUs(cluster, "data");
  await claimIsHeld(cluster, "data");
  const containerStatuses = [
    {
      name: "main",
      image: "registry.example/main:1",
      imageID: "",
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 0 } },
    },
  ];
  await admin.patch(Pod, namespace, "web", "merge", { status: { containerStatuses } }, { subresource: "status" });
}
