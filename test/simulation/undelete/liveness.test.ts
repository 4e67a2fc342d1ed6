import { expect, test } from "vitest";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Actor, Change } from "../../harness/simulated/change.ts";
import type { LivenessTruth } from "../liveness/liveness-check.ts";
import { invariants } from "./invariants.ts";
import { liveness } from "./liveness.ts";
import { shipped } from "./settings.ts";
import { noteKey, reclaimAtKey } from "./volumes.ts";

const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", uid: "n1", resourceVersion: "1" } };
const retain = { name: "retain", process: { rule: "undelete/retain" } } as unknown as Actor;

/** A volume whose claim is gone; `note`: the step that is noted on it. */
function volume(policy: string, { note, due, offered }: { note?: string; due?: string; offered?: true } = {}) {
  const annotations = {
    ...(note ? { [noteKey]: JSON.stringify({ uid: "v1", step: note, namespaceUid: "n1" }) } : {}),
    ...(due ? { [reclaimAtKey]: due } : {}),
  };
  const claimRef = { namespace: "shop", name: "data", ...(offered ? {} : { uid: "c1" }) };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "pv-1", uid: "v1", resourceVersion: "1", annotations },
    spec: { persistentVolumeReclaimPolicy: policy, claimRef },
    status: { phase: "Released" },
  } as KubernetesObject;
}

/** What the checks find once Kubernetes has bound a volume, `by` has made it Retain, and its claim is gone. */
function found(last: KubernetesObject, by: Actor = retain): readonly string[] {
  const change = (by: Actor, before: KubernetesObject | undefined, after: KubernetesObject): Change => ({
    by,
    at: Date.parse("2026-01-01T00:00:00Z"),
    version: 1,
    before,
    after,
    object: after,
  });
  const changes = [
    change({ name: "kubernetes" }, undefined, volume("Delete")),
    change(by, volume("Delete"), volume("Retain")),
    change(by, volume("Retain"), last),
  ];
  const live = (kind: string) => [home, last].filter((object) => object.kind === kind);
  const truth = { scenario: { setting: shipped }, calm: true, disturbed: false, history: { live }, changes };
  for (const one of changes)
    for (const invariant of invariants) invariant.check(one, truth as unknown as LivenessTruth);
  return liveness.flatMap((check) => check.check(truth as unknown as LivenessTruth) ?? []);
}

test.each<[string, KubernetesObject, string | undefined]>([
  ["that is offered, and says so", volume("Retain", { note: "offered", offered: true }), undefined],
  ["that says nothing", volume("Retain"), "Volume pv-1 has lost its claim, and does not say so."],
  [
    "that says that it is bound",
    volume("Retain", { note: "retained" }),
    "Volume pv-1 has lost its claim, and does not say so.",
  ],
  ["that is kept, and not offered", volume("Retain", { note: "kept" }), "Volume pv-1 is not offered to its name."],
  [
    "that is offered, and says otherwise",
    volume("Retain", { note: "kept", offered: true }),
    "Volume pv-1 is offered, and says kept.",
  ],
  ["that was given back", volume("Delete"), undefined],
])("a volume that a function keeps after its claim, %s", (_, last, expected) => expect(found(last)[0]).toBe(expected));

test("a volume whose time has come is overdue, with any note", () => {
  const due = "2025-12-31T00:00:00Z";
  expect(found(volume("Retain", { due }))).toContain("Volume pv-1 is overdue.");
  expect(found(volume("Retain", { note: "offered", offered: true, due }))).toContain("Volume pv-1 is overdue.");
});

test("a volume that a person has made Retain is not kept by a function", () =>
  expect(found(volume("Retain"), { name: "user" })).toEqual([]));
