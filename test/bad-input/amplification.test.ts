import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import {
  type Kind,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
} from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Rule } from "../../shared/rule.ts";
import { claim, manifest, pod, statefulSet } from "../harness/manifest.ts";
import { costOfEvent } from "./cost-of-event.ts";

/** Every rule looks at its objects with so many requests at most, whatever else there is. */
const atAll = 20;

/** An object of each kind that is in scope of the crowd. */
const members: readonly (readonly [Kind, string])[] = [
  [Namespace, "shop"],
  [Node, "node"],
  [StorageClass, "fast"],
  [StatefulSet, "web"],
  [PersistentVolumeClaim, "data-web-0"],
  [PersistentVolume, "pv-0"],
  [Pod, "web-0"],
];

/** How far the claims of the crowd are: used by pods, being deleted and held by a finalizer, or gone. */
const states = ["used", "leaving", "gone"] as const;

/** A set with a bound claim for each of its pods, all of one class that keeps volumes. */
async function crowd(admin: Client, size: number, state: (typeof states)[number]): Promise<void> {
  const keep = { "holdfast.dev/keep-volume-for": "24h" };
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  await admin.create(Node, manifest(Node, { name: "node" }));
  await admin.create(
    StorageClass,
    manifest(StorageClass, { name: "fast", annotations: keep }, { provisioner: "csi.example.com" }),
  );
  const deletes = { "holdfast.dev/pvc-delete-policy": "DeleteOnStatefulSetDeletionOnly" };
  const template = claim({ name: "data" }, { storageClassName: "fast" });
  const set = statefulSet(
    { name: "web", namespace: "shop", annotations: deletes },
    { volumeClaimTemplates: [template] },
  );
  const { uid } = (await admin.create(StatefulSet, set)).metadata;
  for (let i = 0; i < size; i++) {
    const name = `data-web-${i}`;
    const claimRef = { kind: "PersistentVolumeClaim", namespace: "shop", name, uid: name };
    if (state !== "gone") {
      const finalizers = ["holdfast.dev/pvc-protection"];
      const ownerReferences =
        state === "used" ? [] : [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid }];
      const object = claim(
        { name, namespace: "shop", labels: { app: "web" }, finalizers, ownerReferences },
        { storageClassName: "fast", volumeName: `pv-${i}` },
      );
      claimRef.uid = (await admin.create(PersistentVolumeClaim, object)).metadata.uid;
      await admin.patch(
        PersistentVolumeClaim,
        "shop",
        name,
        "merge",
        { status: { phase: "Bound" } },
        { subresource: "status" },
      );
      if (state === "leaving") await admin.delete(PersistentVolumeClaim, "shop", name);
    }
    const spec = {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      csi: { driver: "csi.example.com", volumeHandle: name },
      claimRef,
      storageClassName: "fast",
      persistentVolumeReclaimPolicy: state === "gone" ? "Retain" : "Delete",
    };
    const labels: Record<string, string> = state === "gone" ? { "holdfast.dev/volume-of": "shop" } : {};
    const volume = manifest(PersistentVolume, { name: `pv-${i}`, labels }, { spec });
    const made = await admin.create(PersistentVolume, volume);
    const phase = state === "gone" ? "Released" : "Bound";
    await admin.patch(
      PersistentVolume,
      undefined,
      `pv-${i}`,
      "merge",
      { status: { phase } },
      { subresource: "status" },
    );
    if (state === "gone") await note(admin, made, claimRef);
    if (state === "used" || i === 0)
      await admin.create(
        Pod,
        pod({ name: `web-${i}`, namespace: "shop", labels: { app: "web" } }, [name], { nodeName: "node" }),
      );
  }
}

/** Notes on a volume that it was kept for its claim. */
async function note(admin: Client, { metadata }: KubernetesObject, claimRef: { namespace: string; name: string }) {
  const since = "2026-01-01T00:00:00Z";
  const said = {
    v: 1,
    uid: metadata.uid,
    step: "retained",
    since,
    because: "It is kept.",
    policy: "Delete",
    for: "24h",
  };
  const text = JSON.stringify({ ...said, claim: claimRef, right: 1 });
  const annotations = { "holdfast.dev/undelete.note": text };
  await admin.patch(PersistentVolume, undefined, metadata.name, "merge", { metadata: { annotations } });
}

const declared = await loadDeclared(fileURLToPath(new URL("../..", import.meta.url)));
const rules = declared.filter((one): one is Rule => (one.triggers?.length ?? 0) > 0);
const cases = rules.flatMap((rule) =>
  rule.triggers.flatMap((trigger) => {
    const member = members.find(([kind]) => kind.kind === trigger.kind.kind);
    return member && !trigger.signal ? trigger.changes.map((change) => ({ rule, trigger, change, member })) : [];
  }),
);

test("rules of every system of claims and volumes take part", () => {
  const systems = new Set(cases.map(({ rule }) => rule.name.split("/")[0]));
  expect([...systems]).toEqual(expect.arrayContaining(["pvc-protection", "pvc-retention", "undelete", "satellite"]));
});

const inScope = 40;
/** Functions whose event of one object has them work on all of the crowd. */
const working = new Set<string>();

test.each(cases.map((one) => [one.rule.name, one.change, one.member[0].kind, one] as const))(
  "%s, at one event (%s of a %s), asks in proportion to the objects in scope, and a bounded number at once",
  async (_, change, __, { rule, trigger, member: [kind, name] }) => {
    for (const state of states) {
      const costWith = (size: number) =>
        costOfEvent(
          rule,
          trigger,
          change,
          // Of what is not there any more, the event still comes.
          async (admin) =>
            (await admin.get(kind, kind.namespaced ? "shop" : undefined, name)) ??
            manifest(kind, { name, namespace: "shop", uid: "gone" }),
          (admin) => crowd(admin, size, state),
        );
      const [few, many] = [await costWith(inScope / 2), await costWith(inScope)];
      expect(many.requests).toBeLessThanOrEqual(2 * few.requests + atAll);
      expect(many.atOnce).toBeLessThanOrEqual(Math.max(few.atOnce, 32));
      if (many.requests > inScope) working.add(rule.name);
    }
  },
);

// Otherwise the cases above would compare nothing with nothing.
test("functions of undelete work on all of them for one event", () => {
  expect([...working]).toEqual(expect.arrayContaining(["undelete/retain", "undelete/reserve"]));
});
