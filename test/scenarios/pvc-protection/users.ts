import { expect } from "vitest";
import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { OwnerReference } from "../../../shared/kubernetes/object.ts";
import { claim } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  bareNode,
  claimGoes,
  claimIsHeld,
  claimStays,
  createPod,
  deleteClaim,
  isProtected,
  protectedClaim,
  removePod,
  runningPod,
  setPhase,
  stripInTree,
} from "./helpers.ts";
import { documentMode, strict } from "./settings.ts";

const template = {
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "none", resources: { requests: { storage: "1Gi" } } },
};

/** A pod with a generic ephemeral volume `scratch`, whose claim is called `web-scratch`. */
async function ephemeralPod(world: World, finalizers?: string[]): Promise<OwnerReference> {
  const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: template } }];
  const created = await createPod(world, "web", [], bareNode, { volumes }, finalizers ? { finalizers } : {});
  await setPhase(world, "web", "Running");
  return { apiVersion: "v1", kind: "Pod", name: "web", uid: created.metadata.uid, controller: true };
}

/** The claim that Kubernetes makes for an ephemeral volume, where its controllers run; made here where they do not. */
async function ephemeralClaim(world: World, owner: OwnerReference): Promise<void> {
  const { admin, namespace } = world;
  const metadata = { namespace, name: "web-scratch", ownerReferences: [{ ...owner, blockOwnerDeletion: true }] };
  await admin.create(PersistentVolumeClaim, claim(metadata)).catch((error) => {
    if (!isAlreadyExists(error)) throw error;
  });
  await isProtected(world, "web-scratch");
}

/** Who counts as a user, at the edges. */
export const users: readonly Scenario[] = [
  {
    title: "a pod in its grace period holds the claim",
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      await admin.delete(Pod, namespace, "web");
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      await claimIsHeld(world, "data");
      await claimStays(world, "data");
      await removePod(world, "web");
      await claimGoes(world, "data");
    },
  },
  {
    title: "a pod on a lost node holds the claim until it is deleted by force",
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      const unknown = { phase: "Unknown", conditions: [{ type: "Ready", status: "Unknown" }] };
      await admin.patch(Pod, namespace, "web", "merge", { status: unknown }, { subresource: "status" });
      await admin.delete(Pod, namespace, "web");
      await claimStays(world, "data");
      await removePod(world, "web");
      await claimGoes(world, "data");
    },
  },
  {
    title: "a terminating pod whose containers have stopped holds the claim",
    settings: strict,
    async run(world) {
      await terminated(world);
      await claimIsHeld(world, "data");
      await claimStays(world, "data");
      await removePod(world, "web");
      await claimGoes(world, "data");
    },
  },
  {
    title: "a terminating pod whose containers have stopped holds nothing",
    settings: [documentMode],
    async run(world) {
      await terminated(world);
      await claimGoes(world, "data");
    },
  },
  {
    title: "a pod that is kept by a finalizer of its own holds its claim",
    settings: strict,
    async run(world) {
      const { admin, namespace } = world;
      await protectedClaim(world, "data");
      await createPod(world, "web", ["data"], bareNode, {}, { finalizers: ["a.example/hold"] });
      await setPhase(world, "web", "Running");
      await removePod(world, "web");
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      await claimIsHeld(world, "data");
      await claimStays(world, "data");
      await admin.patch(Pod, namespace, "web", "merge", { metadata: { finalizers: null } });
      await claimGoes(world, "data");
    },
  },
  {
    title: "the claim of an ephemeral volume is held by its pod",
    async run(world) {
      await ephemeralClaim(world, await ephemeralPod(world));
      await deleteClaim(world, "web-scratch");
      await stripInTree(world, "web-scratch");
      expect((await claimIsHeld(world, "web-scratch")).pods).toEqual([{ pod: "web", node: bareNode }]);
      await claimStays(world, "web-scratch");
      await removePod(world, "web");
      await claimGoes(world, "web-scratch");
    },
  },
  {
    title: "the claim of an ephemeral volume does not wait for a pod that is shut down and kept by a finalizer",
    async run(world) {
      const { admin, namespace } = world;
      await ephemeralClaim(world, await ephemeralPod(world, ["a.example/hold"]));
      await deleteClaim(world, "web-scratch");
      await stripInTree(world, "web-scratch");
      await claimIsHeld(world, "web-scratch");
      await removePod(world, "web");
      // The pod is still there: no event of a deleted pod comes, and the claim waits for a change or the sweep.
      await admin.patch(PersistentVolumeClaim, namespace, "web-scratch", "merge", {
        metadata: { labels: { step: "1" } },
      });
      await claimGoes(world, "web-scratch");
      await admin.patch(Pod, namespace, "web", "merge", { metadata: { finalizers: null } });
    },
  },
  {
    title: "a claim that only has the name of an ephemeral volume's claim is not held by the pod",
    async run(world) {
      const { metadata } = await protectedClaim(world, "web-scratch");
      await ephemeralPod(world);
      await deleteClaim(world, "web-scratch");
      // Kubernetes makes the pod its own claim of that name afterwards.
      await claimGoes(world, "web-scratch", metadata.uid);
    },
  },
];

async function terminated(world: World): Promise<void> {
  const { admin, namespace } = world;
  await protectedClaim(world, "data");
  await runningPod(world, "web", ["data"]);
  await admin.delete(Pod, namespace, "web");
  await deleteClaim(world, "data");
  await stripInTree(world, "data");
  await claimIsHeld(world, "data");
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
