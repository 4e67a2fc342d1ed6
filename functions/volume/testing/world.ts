import { customResourceDefinition } from "../../../build/manifests/crd/definition.ts";
import { seededRandom } from "../../../eventing/random.ts";
import { createApiServer } from "../../../local/apiserver/server.ts";
import { type VirtualClock, virtualClock } from "../../../local/time/virtual-clock.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { Change } from "../../../shared/event/hint.ts";
import { type Client, createClient } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Node, PersistentVolume, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ApiRequest } from "../../../shared/kubernetes/transport.ts";
import { receive } from "../../../shared/pipeline/receive.ts";
import type { Rule } from "../../../shared/rule.ts";
import { readSettings } from "../../../shared/settings.ts";
import { dueTime } from "../../platform/sweep/needs-look.ts";
import { addFinalizer } from "../add-finalizer/rule.ts";
import { deletePv } from "../delete-pv/rule.ts";
import { volumeDefinition } from "../lib/definition.ts";
import { Volume } from "../lib/kinds.ts";
import type { PersistentVolumeObject } from "../lib/persistent-volume.ts";
import type { VolumeSpec } from "../lib/schema.ts";
import { jobReturned } from "../lib/signal.ts";
import { type VolumeObject, volumeFinalizer } from "../lib/volume.ts";
import { refreshDeviceName } from "../refresh-device-name/rule.ts";
import { reportHealth } from "../report-health/rule.ts";
import { runJob } from "../run-job/rule.ts";
import { type SaltForTests, saltForTests } from "./salt.ts";

/** All rules of the system. */
// biome-ignore lint/suspicious/noExplicitAny: each has settings, facts and systems of its own.
const rules: readonly Rule<any, any, any>[] = [addFinalizer, runJob, reportHealth, refreshDeviceName, deletePv];

interface Occurred {
  readonly change: Change | "sweep" | "signal";
  readonly object: KubernetesObject;
  readonly kind: string;
  readonly apiVersion: string;
}

/**
 * The system in one process, over the laptop edition's API server, on virtual time. Events are delivered one after the
 * other.
 */
export interface World {
  readonly clock: VirtualClock;
  readonly admin: Client;
  readonly salt: SaltForTests;
  /** Writes of functions, Events left out: method and path. */
  readonly writes: string[];
  /** What went wrong for good: replies that are neither 204 nor 503. */
  readonly refused: string[];
  /** Whether Kubernetes' events reach the functions. */
  hears: boolean;
  /** How far the functions' clock is ahead of the world's, in milliseconds. */
  ahead: number;
  /** Whatever must hold after each write of a function and each post. */
  check: () => Promise<void>;
  create(name: string, spec?: Partial<VolumeSpec>): Promise<void>;
  volume(name: string): Promise<VolumeObject | undefined>;
  pv(name: string): Promise<PersistentVolumeObject | undefined>;
  /** As the PersistentVolume controller binds, and lets go. */
  bind(name: string): Promise<void>;
  release(name: string): Promise<void>;
  /** A signal of Salt's reactor. */
  returned(name: string): void;
  /** Delivers events, and those that they lead to. Throws when there are more than 200 writes. */
  settle(): Promise<void>;
  /** So many sweeps, a minute apart, each with all that it leads to. */
  sweep(times?: number): Promise<void>;
}

const say = () => {};
const log = { debug: say, info: say, warn: say, error: say };

export async function volumeWorld(nodes: readonly string[] = ["n0"]): Promise<World> {
  const clock = virtualClock(Date.parse("2026-03-01T12:00:00Z"));
  const salt = saltForTests(nodes);
  const queue: Occurred[] = [];
  const server = createApiServer({
    clock,
    random: seededRandom(1),
    managedFields: false,
    observe(_, { type, current, previous }) {
      const { object } = current;
      if (!["Volume", "PersistentVolume"].includes(object.kind)) return;
      const change = type === "ADDED" ? "add" : type === "DELETED" ? "delete" : "update";
      if (world.hears)
        queue.push({
          change,
          object: structuredClone(previous && change === "delete" ? previous.object : object),
          kind: object.kind,
          apiVersion: object.apiVersion,
        });
    },
  });
  const admin = createClient(server.handle, { clock });

  // Each request takes a while, as it does in truth: what depends on the very moment would be written again and again.
  let spent = 0;
  const ofTheirs: Clock = { ...clock, now: () => clock.now() + spent + world.ahead };
  const ofFunctions = createClient(
    async (request: ApiRequest) => {
      spent += 30;
      const response = await server.handle(request);
      const isWrite = request.method !== "GET" && !/\/events|dryRun=All/.test(request.path);
      if (isWrite && response.status < 300) {
        world.writes.push(`${request.method} ${request.path}`);
        await world.check();
      }
      return response;
    },
    { clock: ofTheirs },
  );
  const saltOfFunctions = {
    ...salt,
    async spawn(job: Parameters<SaltForTests["spawn"]>[0]) {
      spent += 30;
      await salt.spawn(job);
      await world.check();
    },
  };
  const serve = rules.map((rule) => ({
    rule,
    take: receive(rule, {
      client: () => ofFunctions,
      connect: () => saltOfFunctions as never,
      clock: ofTheirs,
      log,
      settings: readSettings(rule.settings, {}),
    }),
  }));

  async function deliver(event: Occurred): Promise<void> {
    const { change, kind, apiVersion, object } = event;
    const type =
      change === "sweep"
        ? "dev.holdfast.sweep"
        : change === "signal"
          ? jobReturned
          : `dev.knative.apiserver.resource.${change}`;
    const headers = {
      "content-type": "application/json",
      "ce-specversion": "1.0",
      "ce-id": "e",
      "ce-source": "test",
      "ce-type": type,
      "ce-kind": kind,
      "ce-apiversion": apiVersion,
      "ce-name": object.metadata.name,
    };
    const body = change === "sweep" || change === "signal" ? "" : JSON.stringify(object);
    for (const { rule, take } of serve) {
      const wanted = rule.triggers.some(
        (trigger) =>
          trigger.kind.kind === kind &&
          !trigger.overlay &&
          (change === "signal" ? trigger.signal === jobReturned : trigger.changes.includes(change as Change)),
      );
      if (!wanted && !(change === "sweep" && rule.sweep.some((row) => row.kind.kind === kind))) continue;
      const { status, body: reply } = await take({ headers, body });
      if (status !== 204 && status !== 503) world.refused.push(`${rule.name}: ${status} ${reply}`);
    }
  }

  /** What Kubernetes' own controllers do about a PersistentVolume. */
  async function kubernetes(name: string): Promise<void> {
    const pv = await world.pv(name);
    if (!pv) return;
    if (!pv.status?.phase || pv.status.phase === "Pending") await phase(name, "Available");
    const inTree = "kubernetes.io/pv-protection";
    const { finalizers = [] } = pv.metadata;
    if (isBeingDeleted(pv) && pv.status?.phase !== "Bound" && finalizers.includes(inTree))
      await admin.patch(PersistentVolume, undefined, name, "merge", {
        metadata: { finalizers: finalizers.filter((each) => each !== inTree) },
      });
  }
  const phase = (name: string, value: string, message = "") =>
    admin.patch(
      PersistentVolume,
      undefined,
      name,
      "merge",
      { status: { phase: value, message } },
      { subresource: "status" },
    );

  const world: World = {
    clock,
    admin,
    salt,
    writes: [],
    refused: [],
    hears: true,
    ahead: 0,
    check: async () => {},
    async create(name, spec = {}) {
      await admin.create(Volume, {
        apiVersion: Volume.apiVersion,
        kind: Volume.kind,
        metadata: { name } as never,
        spec: { nodeName: "n0", storageClassName: "metalk8s", sparseLoopDevice: { size: "10Gi" }, ...spec },
      });
    },
    volume: (name) => admin.get<VolumeObject>(Volume, undefined, name),
    pv: (name) => admin.get<PersistentVolumeObject>(PersistentVolume, undefined, name),
    async bind(name) {
      const claimRef = { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace: "shop", name: "data", uid: "c1" };
      await admin.patch(PersistentVolume, undefined, name, "merge", { spec: { claimRef } });
      await phase(name, "Bound");
    },
    async release(name) {
      await phase(name, "Released");
    },
    returned(name) {
      queue.push({
        change: "signal",
        kind: Volume.kind,
        apiVersion: Volume.apiVersion,
        object: { metadata: { name } } as never,
      });
    },
    async settle() {
      const before = world.writes.length;
      for (let event = queue.shift(); event; event = queue.shift()) {
        if (event.kind === PersistentVolume.kind && event.change !== "delete")
          await kubernetes(event.object.metadata.name);
        await deliver(event);
        if (world.writes.length > before + 200)
          throw new Error(`The functions do not come to rest: ${world.writes.slice(-6).join(", ")}.`);
      }
      await clock.advance(spent);
      spent = 0;
    },
    async sweep(times = 1) {
      for (let i = 0; i < times; i++) {
        await clock.advance(60_000);
        const names: string[] = [];
        for await (const pv of admin.list(PersistentVolume)) names.push(pv.metadata.name);
        for (const name of names) await kubernetes(name);
        for await (const volume of admin.list<VolumeObject>(Volume)) {
          const { finalizers = [], deletionTimestamp } = volume.metadata;
          const held = finalizers.includes(volumeFinalizer);
          const due = (dueTime(volume) ?? Number.POSITIVE_INFINITY) <= clock.now();
          const turn = i % 10 === 9;
          if (due || (deletionTimestamp ? held : !held) || turn)
            queue.push({ change: "sweep", object: volume, kind: Volume.kind, apiVersion: Volume.apiVersion });
        }
        await world.settle();
      }
    },
  };

  await admin.request(
    "POST",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    customResourceDefinition(volumeDefinition),
  );
  await clock.advance(1000);
  await admin.create(StorageClass, {
    apiVersion: StorageClass.apiVersion,
    kind: StorageClass.kind,
    metadata: { name: "metalk8s" } as never,
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
    parameters: { fsType: "ext4" },
  });
  for (const name of nodes)
    await admin.create(Node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name } as never,
      status: { nodeInfo: { bootID: "b1" } },
    });
  return world;
}
