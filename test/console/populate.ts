import { ApiServerSource, Service } from "../../console/api/kinds.ts";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import {
  ConfigMap,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  StatefulSet,
} from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { StillCluster } from "./cluster.ts";
import * as objects from "./objects.ts";

const lock = "l2-lock.maintenance.yaook.cloud/NovaComputeNode";
const forgotten = "l2-lock.maintenance.yaook.cloud/forgotten";
const label = "maintenance.yaook.cloud/maintenance-required-l2-agent";

/** Something for each page, and a Volume for each branch of the decision tree, under its name. */
export async function populate({ add, admin }: StillCluster): Promise<void> {
  const hasNamespace = async (name: string) => (await admin.get(Namespace, undefined, name)) !== undefined;
  await add([
    objects.namespace("shop"),
    ...((await hasNamespace("yaook")) ? [] : [objects.namespace("yaook")]),
    objects.node("node-1", {}, { storage: "yes" }),
    objects.node(
      "node-2",
      { [lock]: "", [forgotten]: "", "cluster.x-k8s.io/machine": "machine-2" },
      { [label]: "True" },
    ),
    objects.storageClass("metalk8s"),
    objects.storageClass("hasty", "Immediate"),
    objects.volume("unknown"),
    objects.volume("pending", "Pending", "", "PrepareVolume/20260101120000000000"),
    objects.volume("terminating", "Terminating"),
    objects.volume("failed", "Failed", 'Not enough room <img src=x onerror="document.title=1">'),
    objects.volume("deletable", "Available"),
    ...(["Bound", "Pending", "Available", "Released", "Failed"] as const).flatMap((phase) => {
      const name = {
        Bound: "bound",
        Pending: "binding",
        Available: "available",
        Released: "released",
        Failed: "pv-failed",
      }[phase];
      const claim = phase === "Bound" ? "data-web-1" : undefined;
      return [objects.volume(name, "Available"), objects.persistentVolume(name, phase, claim)];
    }),
    ...[0, 1, 2].map((ordinal) => objects.claim(`data-web-${ordinal}`)),
    objects.pod("web-0", "data-web-0"),
    objects.statefulSet("web", "Delete"),
    objects.keptVolume("kept-1"),
    objects.keptVolume("kept-2"),
    objects.keptVolume("kept-3"),
    objects.linstorVolume("data-db-0", "pvc-1"),
    objects.satellite("node-1"),
    objects.satellite("node-2", {
      reason: "InProgress",
      message: "Waiting on remaining resources and snapshots: 2 resources are left on the node.",
    }),
    // Its Machine is deleted, and another evacuation has the slot.
    objects.satellite(
      "node-3",
      { reason: "Waiting", message: "Waiting for a free evacuation slot." },
      { "holdfast.dev/machine": JSON.stringify({ namespace: "default", name: "machine-3", deleting: true }) },
    ),
    objects.linstorCluster,
    objects.computeNode("node-1", false),
    objects.computeNode("node-2", true),
    objects.event("salt", { apiVersion: "v1", kind: "Volume", name: "pending" }, "SaltUnreachable", "Salt is away."),
  ]);
  const set = (await admin.get(StatefulSet, "shop", "web"))?.metadata;
  const { apiVersion, kind } = StatefulSet;
  const owner = { apiVersion, kind, name: set?.name, uid: set?.uid, controller: true };
  await add([objects.pod("web-2", "data-web-2", [owner])]);
  await admin.delete(PersistentVolumeClaim, "shop", "data-web-0");
  const held = { step: "held", because: "Claim shop/data-web-0 is kept, because pod web-0 on node-1 uses it." };
  await objects.writeDown(
    admin,
    PersistentVolumeClaim,
    { namespace: "shop", name: "data-web-0" },
    "holdfast.dev/pvc-protection.release",
    held,
  );
  for (const [name, step] of [
    ["kept-1", "kept"],
    ["kept-2", "asks"],
    ["kept-3", "offered"],
  ] as const)
    await objects.writeDown(
      admin,
      PersistentVolume,
      { name },
      "holdfast.dev/undelete.note",
      objects.keptNote(name, step),
    );
  await admin.delete(LinstorSatellite, undefined, "node-2");
  const { uid } = (await admin.get(LinstorSatellite, undefined, "node-2"))?.metadata ?? {};
  const evacuation = JSON.stringify({ v: 1, uid, begun: new Date().toISOString(), before: { "pvc-1": 2, "pvc-2": 3 } });
  const annotations = { "holdfast.dev/evacuation": evacuation };
  await admin.patch(LinstorSatellite, undefined, "node-2", "merge", { metadata: { annotations } });
  const waiting = { step: "waiting", because: "Two resources are left." };
  await objects.writeDown(admin, LinstorSatellite, { name: "node-2" }, "holdfast.dev/satellite.await-empty", waiting);
  await populatePlatform(admin);
}

/** A function and a source that are not ready, a sweep, and an event that was dead-lettered. */
async function populatePlatform(admin: Client): Promise<void> {
  const since = new Date(Date.now() - 600_000).toISOString().replace(/\.\d+Z$/, "Z");
  for (const [kind, name, message] of [
    [Service, "volume-run-job", "The image is not ready."],
    [ApiServerSource, "storage", "The sink is not ready."],
  ] as const) {
    const conditions = [{ type: "Ready", status: "False", reason: "Broken", message, lastTransitionTime: since }];
    await admin.patch(kind, "holdfast", name, "merge", { status: { conditions } }, { subresource: "status" });
  }
  const swept = { at: since, because: "12 rows were swept." };
  const table = { namespace: "holdfast", name: "holdfast-sweep" };
  await objects.writeDown(admin, ConfigMap, table, "holdfast.dev/platform.sweep", swept);
  const metadata = { namespace: "holdfast", name: "holdfast-dead-letters" };
  const data = { "20260101T120000-000Z-0123456789ab.json": "{}", "left-out.json": "{}" };
  await admin.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata, data } as unknown as KubernetesObject);
}
