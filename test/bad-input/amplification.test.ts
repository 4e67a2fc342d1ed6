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
import { onSignal, type Rule, type RuleTrigger } from "../../shared/rule.ts";
import { claim, manifest, persistentVolume, pod, statefulSet } from "../harness/manifest.ts";
import { setStatus } from "../harness/set-status.ts";
import { costOfEvent, refused } from "./cost-of-event.ts";
import { type Crowd, crowdsOfSystems } from "./crowds-of-systems.ts";

/** Every rule looks at its objects with so many requests at most, also among many others. */
const atAll = 20;
/**
 * The most requests that a rule asks for at the same time: it looks at 16 subjects at a time, and asks for five things
 * of each. The clients of a function send 32 of them to a server, and have the others wait.
 */
const mostAtOnce = 16 * 5;

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

/** How many objects of each kind the crowd has. */
const inScope = 40;

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
      await setStatus(admin, PersistentVolumeClaim, "shop", name, { phase: "Bound" });
      if (state === "leaving") await admin.delete(PersistentVolumeClaim, "shop", name);
    }
    const spec = {
      csi: { driver: "csi.example.com", volumeHandle: name },
      claimRef,
      storageClassName: "fast",
      persistentVolumeReclaimPolicy: state === "gone" ? "Retain" : "Delete",
    };
    const labels: Record<string, string> = state === "gone" ? { "holdfast.dev/volume-of": "shop" } : {};
    const volume = persistentVolume({ name: `pv-${i}`, labels }, spec);
    const made = await admin.create(PersistentVolume, volume);
    const phase = state === "gone" ? "Released" : "Bound";
    await setStatus(admin, PersistentVolume, undefined, `pv-${i}`, { phase });
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

/** The claims of the default. Its systems have no external system. */
const claims = (state: (typeof states)[number]): Crowd => ({
  size: inScope,
  members,
  fill: (admin, size) => crowd(admin, size, state),
  reach: () => refused,
});

/** Each way to be, with the crowds that are so. */
const crowdsOf = (system: string) => {
  const other = crowdsOfSystems[system];
  if (!other) return states.map((state) => claims(state));
  const leaving: Crowd = { ...other, fill: (admin, size) => other.fill(admin, size, true) };
  return [{ ...other, fill: (admin: Client, size: number) => other.fill(admin, size, false) }, leaving];
};

const declared = await loadDeclared(fileURLToPath(new URL("../..", import.meta.url)));
const rules = declared.filter((one): one is Rule => one.triggers !== undefined);
const systemOf = ({ name }: Rule) => name.slice(0, name.indexOf("/"));
/**
 * What triggers a rule: changes and signals, and the sweep with an object of each kind that it looks for. In the
 * systems, whose crowds take long to create, a deletion and one other of each kind stand for all.
 */
const triggersOf = (rule: Rule): readonly (readonly [RuleTrigger, string])[] => {
  const all = [
    ...rule.triggers.flatMap((trigger) => trigger.changes.map((change) => [trigger, change] as const)),
    ...rule.triggers.filter(({ signal }) => signal).map((trigger) => [trigger, "signal"] as const),
    ...rule.sweep.map(({ kind }) => [onSignal(kind, "dev.holdfast.sweep"), "sweep"] as const),
  ];
  const isSmall = crowdsOfSystems[systemOf(rule)] === undefined;
  const key = ([{ kind }, change]: (typeof all)[number]) =>
    `${kind.kind} ${isSmall || change === "delete" ? change : ""}`;
  return [...new Map(all.map((one) => [key(one), one])).values()];
};
const all = rules.flatMap((rule) =>
  triggersOf(rule).map(([trigger, change]) => ({ rule, trigger, change, kind: trigger.kind.kind })),
);
const memberFor = ({ rule, kind }: (typeof all)[number]) =>
  crowdsOf(systemOf(rule))[0]?.members.find(([member]) => member.kind === kind);
const cases = all.flatMap((one) => {
  const member = memberFor(one);
  return member ? [{ ...one, member }] : [];
});

test("every rule has a case for everything that triggers it", () => {
  expect(all.filter((one) => !memberFor(one)).map(({ rule, kind }) => `${rule.name}: ${kind}`)).toEqual([]);
  expect(rules.filter((rule) => !cases.some((one) => one.rule === rule)).map(({ name }) => name)).toEqual([]);
});

/** Functions whose event of one object has them work on all of the crowd. */
const working = new Set<string>();

test.each(cases.map((one) => [one.rule.name, one.change, one.kind, one] as const))(
  "%s, at one event (%s of a %s), asks in proportion to the objects in scope, and a bounded number at once",
  async (_, change, __, { rule, trigger, member: [kind, name] }) => {
    for (const { size, fill, reach } of crowdsOf(systemOf(rule))) {
      const costWith = (size: number) =>
        costOfEvent(
          rule,
          trigger,
          change,
          // Of what is not there any more, the event still comes.
          async (admin) =>
            (await admin.get(kind, kind.namespaced ? "shop" : undefined, name)) ??
            manifest(kind, { name, namespace: "shop", uid: "gone" }),
          (admin) => fill(admin, size, false),
          reach(size),
        );
      const [few, many] = [await costWith(size / 2), await costWith(size)];
      expect(many.requests).toBeLessThanOrEqual(2 * few.requests + atAll);
      expect(many.atOnce).toBeLessThanOrEqual(mostAtOnce);
      if (many.requests > size) working.add(rule.name);
    }
  },
);

// Otherwise the cases above would compare nothing with nothing.
test("functions of undelete and of satellites work on all of them for one event", () => {
  const ofSystems = ["apply-daemonset", "await-reattach", "await-satellites", "configure", "create", "mark"];
  const expected = ["undelete/retain", "undelete/reserve", ...ofSystems.map((name) => `satellite/${name}`)];
  expect([...working]).toEqual(expect.arrayContaining(expected));
});
