import { isAlreadyExists } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { progressKey, readProgress } from "../../../shared/progress.ts";
import { holdfastProtection } from "../../../shared/storage/protection.ts";
import { createPod } from "../create-pod.ts";
import { findEvent } from "../find-event.ts";
import { tourNamespace } from "../namespace.ts";
import { exampleObjects, named } from "../objects.ts";
import type { Step } from "../play.ts";
import type { Tour, TourWorld } from "../tour.ts";

const beats = 200;

/** PVC protection from end to end: a claim is protected, held while a pod uses it, and let go. */
export const tour: Tour = { title: "PVC protection", steps };

function steps(world: TourWorld): Step[] {
  const { client } = world;
  const claim = (name: string) => client.get(PersistentVolumeClaim, tourNamespace, name);
  const pod = (name: string) =>
    client.get<KubernetesObject & { status?: { phase?: string } }>(Pod, tourNamespace, name);
  const isProtected = (object?: KubernetesObject) => object !== undefined && hasFinalizer(object, holdfastProtection);
  const hasEvent = (object: string, reason: string) => findEvent(client, object, reason);
  const example = exampleObjects(tourNamespace);
  let before = world.counts();

  const existing: Step = {
    title: "A claim, and a pod that uses it",
    text:
      `Namespace ${tourNamespace}, claim data, pod writer. When the claim is bound, that is an event: ` +
      "the function protect wakes and puts its finalizer on.",
    async act() {
      await client.create(PersistentVolumeClaim, example.claim);
      await createPod(world, example.pod);
    },
    proofs: [
      { what: "pod writer is running", check: async () => (await pod("writer"))?.status?.phase === "Running" },
      { what: `claim data carries ${holdfastProtection}`, check: async () => isProtected(await claim("data")) },
    ],
  };

  const policy: Step = {
    title: "From now on at creation",
    text:
      "The admission policy stamps the finalizer inside the API server, before anybody can delete the claim; " +
      "no function is needed.",
    async act() {
      await world.installPolicy?.("pvc-protection");
    },
    proofs: [
      {
        what: "claim archive carries the finalizer as it is created",
        check: () => createdWithFinalizer(client, example.claim),
      },
    ],
  };

  const heartbeats: Step = {
    title: "A busy cluster in which nothing is deleted",
    text: `${beats} updates of pod writer, as heartbeats would be. No Trigger asks for them, so they trigger nothing.`,
    async act() {
      // The sweep wakes by the clock, and may ask for a look at anything: a burst that it fell into is made again.
      do {
        while (world.processes() > 0) await world.clock.sleep(50, world.signal);
        before = world.counts();
        for (let beat = 1; beat <= beats; beat++) {
          const annotations = { "example.com/heartbeat": String(beat) };
          await client.patch(Pod, tourNamespace, "writer", "merge", { metadata: { annotations } });
        }
        await world.clock.sleep(300, world.signal);
      } while (world.counts().sweeps > before.sweeps);
    },
    proofs: [
      {
        what: `${beats} events went from the source to the broker`,
        check: async () => world.counts().emitted - before.emitted >= beats,
      },
      {
        what: "no function was called, and none woke",
        check: async () => {
          const { delivered, started, sweeps } = world.counts();
          return sweeps > before.sweeps || (delivered === before.delivered && started === before.started);
        },
      },
    ],
  };

  const deleted: Step = {
    title: "The claim is deleted while pod writer uses it",
    text:
      "Pod reader waits for a node and wants the claim, too. release says who holds the claim, " +
      "and warn records an Event on the pod that has not started.",
    async act() {
      const spec = { ...(example.pod.spec as object), nodeSelector: { "example.com/disk": "none-such" } };
      await client.create(Pod, { ...named(example.pod, { name: "reader" }), spec });
      await client.delete(PersistentVolumeClaim, tourNamespace, "data");
    },
    proofs: [
      { what: "claim data is Terminating, and still there", check: async () => deleting(await claim("data")) },
      { what: "its annotation says who holds it", check: async () => holders(await claim("data")) },
      { what: "an Event on it does, too: DeletionPostponed", check: () => hasEvent("data", "DeletionPostponed") },
      { what: "an Event warns pod reader: ClaimBeingDeleted", check: () => hasEvent("reader", "ClaimBeingDeleted") },
    ],
  };

  const released: Step = {
    title: "The pods go",
    text:
      "The deletion of pod writer is an event: release lists the pods that are left, finds no user, " +
      "and lets the claim go.",
    async act() {
      await client.delete(Pod, tourNamespace, "reader");
      await client.delete(Pod, tourNamespace, "writer");
    },
    proofs: [
      { what: "pod writer is gone", check: async () => !(await pod("writer")) },
      { what: "claim data is gone", check: async () => !(await claim("data")) },
    ],
  };

  return [existing, ...(world.installPolicy ? [policy] : []), ...(world.quiet ? [heartbeats] : []), deleted, released];
}

const deleting = (object?: KubernetesObject) =>
  object && isBeingDeleted(object) && hasFinalizer(object, holdfastProtection);

/** The annotation as it is, shortened to who holds the claim. */
function holders(object?: KubernetesObject): string | undefined {
  const progress = object && readProgress(object, "pvc-protection/release");
  if (!progress?.pods) return undefined;
  return `${progressKey("pvc-protection/release")}: ${JSON.stringify({ pods: progress.pods })}`;
}

/** A policy takes effect a moment after it was created: a claim that came too early is made again. */
async function createdWithFinalizer(client: Client, claim: KubernetesObject): Promise<boolean> {
  try {
    const archive = await client.create(PersistentVolumeClaim, named(claim, { name: "archive" }));
    if (hasFinalizer(archive, holdfastProtection)) return true;
    await client.delete(PersistentVolumeClaim, tourNamespace, "archive");
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  return false;
}
