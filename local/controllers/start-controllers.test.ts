import { describe, expect, it } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, Namespace, PersistentVolumeClaim, Pod, StorageClass } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ApiRequest, Transport } from "../../shared/kubernetes/transport.ts";
import { type ApiServer, createApiServer } from "../apiserver/server.ts";
import { virtualClock } from "../time/testing/virtual-clock.ts";
import { type ControllersOptions, startControllers } from "./start-controllers.ts";

const day = 86_400_000;

/** The whole of it: emulator and all controllers, with what they asked of the server. */
function createWorld(options: Partial<ControllersOptions> = {}, faults?: (server: ApiServer) => Transport) {
  const clock = virtualClock();
  const random = seededRandom(11);
  const server = createApiServer({ clock, random });
  const stop = new AbortController();
  const requests: ApiRequest[] = [];
  const troubles: unknown[] = [];
  const answer = faults?.(server) ?? server.handle;
  const transport: Transport = (request) => {
    requests.push(request);
    return answer(request);
  };
  const controllers = startControllers({
    transport,
    clock,
    random,
    signal: stop.signal,
    kubelet: { nodes: ["one", "two"] },
    trouble: (trouble) => troubles.push(trouble),
    // Longer than any test: watches are not renewed.
    watchSeconds: 400 * 86_400,
    ...options,
  });
  const client = createClient(server.handle, { clock });
  const create = (kind: Kind, name: string, fields: object = {}, metadata: object = {}) =>
    client.create(kind, {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { name, ...(kind.namespaced ? { namespace: "default" } : {}), ...metadata },
      ...fields,
    } as KubernetesObject);
  return {
    clock,
    server,
    client,
    controllers,
    requests,
    troubles,
    create,
    stop,
    async close() {
      stop.abort();
      await controllers.stopped;
    },
    claim: (name: string) =>
      create(PersistentVolumeClaim, name, {
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "standard",
          resources: { requests: { storage: "1Gi" } },
        },
      }),
    pod: (name: string, claim: string, metadata: object = {}) =>
      create(
        Pod,
        name,
        {
          spec: {
            containers: [{ name: "main", image: "x", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
            volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }],
          },
        },
        metadata,
      ),
    phase: async (name: string) =>
      ((await client.get(Pod, "default", name)) as { status?: { phase?: string } } | undefined)?.status?.phase,
  };
}

/** A small life: a class, a claim, its pod, and the end of both and of a namespace. */
async function live(world: ReturnType<typeof createWorld>): Promise<void> {
  const { clock, client, create } = world;
  await create(StorageClass, "standard", { provisioner: "kubernetes.io/host-path" });
  await create(Namespace, "short");
  await world.claim("data");
  await world.pod("user", "data");
  expect(await clock.runUntil(async () => (await world.phase("user")) === "Running", day)).toBe(true);
  await client.delete(PersistentVolumeClaim, "default", "data");
  await client.delete(Pod, "default", "user");
  await client.delete(Namespace, undefined, "short");
  const isOver = async () =>
    !(await client.get(PersistentVolumeClaim, "default", "data")) && !(await client.get(Namespace, undefined, "short"));
  expect(await clock.runUntil(isOver, day)).toBe(true);
  await clock.advance(1000);
}

describe("startControllers", () => {
  it("knows its controllers by name", () => {
    expect(() => createWorld({ controllers: ["*", "-pvc-protection"] })).toThrow(
      "No controller is called -pvc-protection. There are ephemeral-volume-controller, garbage-collector-controller,",
    );
  });

  it("starts all, all but some, or only some", async () => {
    const watched = async (controllers: string[]) => {
      const world = createWorld({ controllers });
      await world.controllers.synced;
      await world.close();
      return world.requests.some(({ path }) => path.startsWith("/api/v1/persistentvolumeclaims?watch"));
    };
    expect(await watched(["*"])).toBe(true);
    expect(await watched(["namespace-controller"])).toBe(true);
    expect(await watched(["serviceaccount-controller"])).toBe(false);
    const without = createWorld({ controllers: ["*", "-persistentvolumeclaim-protection-controller"] });
    await without.controllers.synced;
    const claim = await without.claim("bare");
    await without.client.patch(PersistentVolumeClaim, "default", "bare", "merge", { metadata: { finalizers: null } });
    await without.clock.advance(60_000);
    expect(claim.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    expect((await without.client.get(PersistentVolumeClaim, "default", "bare"))?.metadata.finalizers).toBeUndefined();
    await without.close();
  });

  it("rests when there is nothing to do: not one request in a day", async () => {
    const world = createWorld();
    await world.controllers.synced;
    await live(world);
    const before = world.requests.length;
    await world.clock.advance(day);
    expect(world.requests.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    await world.close();
  });

  it("does the same again from the same seed, request by request", async () => {
    const play = async () => {
      const world = createWorld({
        kubelet: { nodes: ["one", "two"], heartbeat: { leaseSeconds: 10, statusSeconds: 300 } },
      });
      await world.controllers.synced;
      await live(world);
      await world.clock.advance(600_000);
      await world.close();
      return world.requests.map(({ method, path, body }) => `${method} ${path} ${body ?? ""}`);
    };
    const first = await play();
    expect(first.length).toBeGreaterThan(200);
    expect(await play()).toEqual(first);
  });

  it("leaves nothing behind when it ends: no request, and no timer that would wake", async () => {
    const world = createWorld({ kubelet: { nodes: ["one"], heartbeat: { leaseSeconds: 10, statusSeconds: 300 } } });
    await world.controllers.synced;
    await world.claim("data");
    await world.clock.advance(1000);
    await world.close();
    const before = world.requests.length;
    await world.pod("after", "data");
    await world.clock.advance(day);
    expect(world.requests).toHaveLength(before);
  });

  it("carries on through a server that fails, refuses and forgets", async () => {
    let writes = 0;
    const world = createWorld({}, (server) => async (request) => {
      // So many in a row that nothing is spared; then it recovers.
      if (request.method === "GET" || writes > 300) return server.handle(request);
      if (++writes % 17 === 0) server.compact();
      if (writes % 5 === 0) throw new Error("connection reset");
      if (writes % 7 === 0) return { status: 503, headers: {}, body: (async function* () {})() };
      const response = await server.handle(request);
      // Done, but the client does not hear of it.
      if (writes % 11 === 0) throw new Error("connection reset");
      return response;
    });
    await Promise.all([world.controllers.synced, world.clock.advance(60_000)]);
    await live(world);
    expect(writes).toBeGreaterThan(300);
    expect(world.troubles.length).toBeGreaterThan(20);
    await world.close();
  });

  it("has the late-bind race of a scheduler that sees claims late", async () => {
    const world = createWorld({ scheduler: { claimLag: 5000 } });
    await world.controllers.synced;
    await world.create(StorageClass, "standard", { provisioner: "kubernetes.io/host-path" });
    await world.claim("data");
    await world.pod("first", "data");
    await world.clock.advance(20_000);
    expect(await world.phase("first")).toBe("Running");

    await world.client.delete(PersistentVolumeClaim, "default", "data");
    await world.pod("late", "data");
    await world.clock.advance(1000);
    // Bound, and started: the claim still has the finalizer by which the kubelet would refuse it.
    expect(await world.phase("late")).toBe("Running");
    await world.clock.advance(10_000);
    await world.pod("later", "data");
    await world.clock.advance(60_000);
    expect(await world.phase("later")).toBe("Pending");
    await world.close();
  });
});
