import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { bases, dependents } from "../../functions/eviction/lib/kinds.ts";
import { allowedRequest } from "../../functions/platform/lib/console/allowed-request.ts";
import { consoleKinds } from "../../functions/platform/lib/console/console-kinds.ts";
import {
  DaemonSet,
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  Machine,
  VolumeAttachment,
} from "../../functions/satellite/lib/kinds.ts";
import { successorKey } from "../../functions/undelete/lib/successor.ts";
import { Volume } from "../../functions/volume/lib/kinds.ts";
import type { VolumeObject } from "../../functions/volume/lib/volume.ts";
import {
  ConfigMap,
  Event,
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
import { progressKey } from "../../shared/progress.ts";
import type { Volume as PersistentVolumeObject } from "../../shared/storage/volume.ts";
import { abort, approve, retry } from "../eviction/actions.ts";
import { keepForGood, keepLonger, nameSuccessor, offer, reclaim, withhold } from "../kept/actions.ts";
import type { Action } from "../parts/act.tsx";
import { undo } from "../satellites/undo.ts";
import { deleteVolume } from "../volumes/delete-volume.ts";
import { emptyDraft, manifestsOf } from "../volumes/draft.ts";
import { ApiServerSource, Deployment, Service } from "./kinds.ts";
import { carryOut, type Write } from "./write.ts";

afterEach(() => vi.unstubAllGlobals());

const claim = { namespace: "shop", name: "data", uid: "u-claim" };
const note = { step: "asks", policy: "Delete", for: "7d", claim, namespaceUid: "u-old", right: 0 };
const progress = { v: 1, uid: "u-1", since: "2026-01-01T00:00:00Z", because: `annotate ${successorKey}`, ...note };
const kept = {
  metadata: { name: "pv-1", uid: "u-1", annotations: { [progressKey("undelete/note")]: JSON.stringify(progress) } },
  spec: {},
} as unknown as PersistentVolumeObject;
const shop = { kind: "Namespace", metadata: { name: "shop", uid: "u-new" } } as KubernetesObject;
const metadata = { name: "node-1", namespace: "yaook", uid: "u", resourceVersion: "1" };
const evicted = [...bases, ...dependents].map(({ apiVersion, kind }) => ({ apiVersion, kind, metadata }));
const volume = { metadata: { name: "v", uid: "u" }, spec: { nodeName: "node-1" } } as unknown as VolumeObject;

const actions: readonly Action[] = [
  ...[keepLonger, keepForGood, reclaim, offer, withhold].map((act) => act(kept)),
  nameSuccessor(kept, { is: "ready", objects: [shop] }) as Action,
  ...evicted.flatMap((one) => [approve(one), abort(one)]),
  ...evicted.slice(bases.length).map(retry),
  undo(kept, undefined, {}, true),
  deleteVolume(volume, new Map()),
];
const created = manifestsOf({ ...emptyDraft, name: "v", nodeName: "node-1" });
const root = join(import.meta.dirname, "..");
const sources = globSync("**/*.{ts,tsx}", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
const textOf = (file: string) => readFileSync(join(root, file), "utf8");

/** All that pages write. */
const writes: readonly Write[] = [
  ...actions.map(({ write }) => write),
  ...created.map(({ name, object }): Write => ({ verb: "create", kind: Volume, name, object })),
];

/** The paths of the fields that a patch changes. */
const fieldsOf = (value: object, at: readonly string[] = []): readonly string[] =>
  Object.entries(value).flatMap(([key, part]) =>
    typeof part === "object" && part !== null ? fieldsOf(part, [...at, key]) : [JSON.stringify([...at, key])],
  );
const keyOf = ({ apiVersion, plural }: Kind) => `${apiVersion}/${plural}`;

/** What pages list, or lead to. */
const shown: readonly Kind[] = [
  ...[
    PersistentVolumeClaim,
    PersistentVolume,
    Volume,
    StatefulSet,
    Pod,
    Namespace,
    Node,
    StorageClass,
    ConfigMap,
    Event,
  ],
  ...[LinstorSatellite, LinstorCluster, LinstorSatelliteConfiguration, Machine, VolumeAttachment, DaemonSet],
  ...[...bases, ...dependents, ApiServerSource, Service, Deployment],
];

test("the server passes on questions for the kinds of which pages show objects, and for no other", () => {
  const known = shown.map((one) => [keyOf(one), one.kind, one.namespaced]);
  const passed = [...consoleKinds].map(([key, { kind, namespaced }]) => [key, kind, namespaced]);
  expect(passed.toSorted()).toEqual(known.toSorted());
});

test("each kind that a page lists is among them", () => {
  const names = new Set(shown.map(({ kind }) => kind));
  const listed = sources.flatMap((file) => [...textOf(file).matchAll(/\buseList(?:<.*?>)?\((?:kinds\.)?(\w+)/g)]);
  const others = ["kind"];
  expect(listed.length).toBeGreaterThan(20);
  expect(listed.map(([, name = ""]) => name).filter((name) => !names.has(name) && !others.includes(name))).toEqual([]);
});

test("the server passes on what pages write, and no other write", () => {
  const written = new Set(
    writes.flatMap((write) => {
      const key = keyOf(write.kind);
      if (write.verb !== "patch") return `${write.verb} ${key}`;
      return fieldsOf(write.patch).map((field) => `patch ${key} ${field}`);
    }),
  );
  const passed = [...consoleKinds].flatMap(([key, { fields = [], ...rights }]) => [
    ...(["create", "delete"] as const).filter((verb) => rights[verb]).map((verb) => `${verb} ${key}`),
    ...fields.map((field) => `patch ${key} ${JSON.stringify(field)}`),
  ]);
  expect(passed.sort()).toEqual([...written].sort());
});

test("each write passes as it is sent, and names the very object that it changes", async () => {
  const sent: object[] = [];
  vi.stubGlobal("fetch", async (url: string, { method = "", headers, body }: RequestInit) => {
    const { "content-type": contentType } = headers as Record<string, string>;
    const path = url.slice("/cluster".length);
    sent.push(JSON.parse(allowedRequest({ method, path, contentType, body: body as string }).body ?? ""));
    return Response.json({});
  });
  for (const write of writes) await carryOut(write);
  expect(sent).toHaveLength(writes.length);
  for (const [index, write] of writes.entries()) {
    const { uid } = write.verb === "create" ? {} : write;
    if (write.verb === "patch") expect(sent[index]).toMatchObject({ metadata: { uid } });
    if (write.verb === "delete") expect(sent[index]).toMatchObject({ preconditions: { uid } });
  }
});

test("no other file of the console writes anything", () => {
  const writing = sources
    .filter((file) => /\bannotation\(|\bverb: "(create|patch|delete)"|method: "/.test(textOf(file)))
    .map((file) => file.replaceAll("\\", "/"));
  expect(writing.sort()).toEqual([
    // Asks what the user may do.
    "api/access.ts",
    "api/session.ts",
    "api/write.ts",
    "eviction/actions.ts",
    "kept/actions.ts",
    "parts/annotation.ts",
    "satellites/undo.ts",
    "volumes/create-volume.tsx",
    "volumes/delete-volume.ts",
    "volumes/volumes.tsx",
  ]);
});
