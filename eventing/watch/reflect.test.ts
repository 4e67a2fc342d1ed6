import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApiServer } from "../../local/apiserver/server.ts";
import { shareReflections } from "../../local/controllers/reflections.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ApiRequest, Transport } from "../../shared/kubernetes/transport.ts";
import { seededRandom } from "../random.ts";
import type { FollowTools } from "./follow.ts";
import { type ReflectOptions, reflect } from "./reflect.ts";

const ConfigMap = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true } satisfies Kind;

function createWorld() {
  const clock = virtualClock();
  const random = seededRandom(7);
  const server = createApiServer({ clock, random });
  const stop = new AbortController();
  const requests: ApiRequest[] = [];
  /** Stands before the server; a test puts its faults here. */
  let fault: Transport | undefined;
  const open = new Set<AbortSignal>();
  const transport: Transport = async (request) => {
    requests.push(request);
    const response = await (fault ?? server.handle)(request);
    if (request.signal && isWatch(request)) {
      const { signal } = request;
      open.add(signal);
      signal.addEventListener("abort", () => open.delete(signal), { once: true });
    }
    return response;
  };
  const client = createClient(server.handle, { clock });
  const tools: FollowTools = {
    client: createClient(transport, { clock }),
    transport,
    clock,
    random,
    signal: stop.signal,
  };
  return {
    clock,
    server,
    stop,
    requests,
    tools,
    open,
    break(by: Transport | undefined) {
      fault = by;
    },
    create(name: string) {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
      return client.create(ConfigMap, object as KubernetesObject);
    },
    change: (name: string, value: string) => client.patch(ConfigMap, "default", name, "merge", { data: { value } }),
    remove: (name: string) => client.delete(ConfigMap, "default", name),
    reflect(options: ReflectOptions = {}) {
      const seen: string[] = [];
      const reflection = reflect(tools, ConfigMap, { namespace: "default", ...options });
      reflection.on((change, object) => {
        seen.push(`${change} ${object.metadata.name}`);
      });
      return { reflection, seen };
    },
  };
}

const isWatch = ({ path }: ApiRequest) => path.includes("watch=1");

async function* silence(signal: AbortSignal | undefined): AsyncGenerator<string> {
  await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
  yield "";
}

const refuse: Transport = async () => {
  throw new Error("connection refused");
};

describe("reflect", () => {
  let world: ReturnType<typeof createWorld>;
  beforeEach(() => {
    world = createWorld();
  });
  afterEach(() => world.stop.abort());

  it("lists, watches, and reports what changed", async () => {
    await world.create("one");
    const { reflection, seen } = world.reflect();
    await reflection.synced;
    expect(seen).toEqual(["add one"]);
    await world.create("two");
    await world.change("one", "x");
    await world.remove("two");
    await world.clock.settle();
    expect(seen).toEqual(["add one", "add two", "update one", "delete two"]);
    expect(reflection.list().map(({ metadata }) => metadata.name)).toEqual(["one"]);
    expect(reflection.get("default", "one")).toMatchObject({ data: { value: "x" } });
    expect(reflection.get("default", "two")).toBeUndefined();
    expect(reflection.list("elsewhere")).toEqual([]);
  });

  it("reports what is there already to a handler that comes late", async () => {
    await world.create("one");
    const { reflection } = world.reflect();
    await reflection.synced;
    const seen: string[] = [];
    reflection.on((change, { metadata }) => seen.push(`${change} ${metadata.name}`));
    expect(seen).toEqual(["add one"]);
  });

  it("takes up a watch that ended where it left off, missing nothing", async () => {
    const { reflection, seen } = world.reflect();
    await reflection.synced;
    await world.clock.settle();
    world.server.close();
    await world.create("while-away");
    await world.clock.advance(5000);
    expect(seen).toEqual(["add while-away"]);
    expect(world.requests.filter((request) => !isWatch(request))).toHaveLength(1);
  });

  it("tries again with growing pauses when the server is away", async () => {
    const { reflection, seen } = world.reflect();
    await reflection.synced;
    await world.clock.settle();
    world.break(refuse);
    world.server.close();
    await world.create("while-away");
    const before = world.requests.length;
    await world.clock.advance(600_000);
    const tries = world.requests.length - before;
    // Evenly at the first pause it would be hundreds.
    expect(tries).toBeGreaterThan(10);
    expect(tries).toBeLessThan(40);
    world.break(undefined);
    await world.clock.advance(60_000);
    expect(seen).toEqual(["add while-away"]);
  });

  it("waits for a server that is not there yet", async () => {
    world.break(refuse);
    const { reflection, seen } = world.reflect();
    await world.clock.advance(60_000);
    await world.create("one");
    world.break(undefined);
    await world.clock.advance(60_000);
    await reflection.synced;
    expect(seen).toEqual(["add one"]);
  });

  it("lists again after a 410, and reports the difference", async () => {
    for (const name of ["gone", "kept", "changed", "replaced"]) await world.create(name);
    const { reflection, seen } = world.reflect();
    await reflection.synced;
    await world.clock.settle();
    world.break(refuse);
    world.server.close();
    await world.clock.settle();
    await world.remove("gone");
    await world.change("changed", "x");
    await world.remove("replaced");
    await world.create("replaced");
    await world.create("new");
    world.server.compact();
    world.break(undefined);
    seen.length = 0;
    await world.clock.advance(60_000);
    expect(seen.toSorted()).toEqual(["add new", "add replaced", "delete gone", "delete replaced", "update changed"]);
  });

  it("does not ask in a tight loop when the server ends every watch at once", async () => {
    world.break(async (request) => {
      const response = await world.server.handle({ ...request, signal: AbortSignal.abort() });
      return isWatch(request) ? { ...response, body: (async function* () {})() } : world.server.handle(request);
    });
    const { reflection } = world.reflect();
    await reflection.synced;
    await world.clock.advance(60_000);
    expect(world.requests.length).toBeLessThan(15);
  });

  it("gives up a watch whose connection has died unnoticed", async () => {
    world.tools.watchSeconds = 300;
    const { reflection, seen } = world.reflect();
    await reflection.synced;
    await world.clock.settle();
    world.break(async (request) =>
      isWatch(request) ? { status: 200, headers: {}, body: silence(request.signal) } : world.server.handle(request),
    );
    world.server.close();
    await world.clock.advance(1000);
    await world.create("unheard");
    await world.clock.advance(200_000);
    world.break(undefined);
    expect(seen).toEqual([]);
    await world.clock.advance(120_000);
    expect(seen).toEqual(["add unheard"]);
  });

  it("holds changes back in order when a test makes it lag", async () => {
    await world.create("one");
    const { reflection, seen } = world.reflect({ lag: 5000 });
    await reflection.synced;
    expect(seen).toEqual(["add one"]);
    await world.clock.settle();
    await world.change("one", "x");
    await world.remove("one");
    await world.create("one");
    await world.clock.advance(4999);
    expect(seen).toEqual(["add one"]);
    expect(reflection.get("default", "one")).not.toHaveProperty("data");
    await world.clock.advance(1);
    expect(seen).toEqual(["add one", "update one", "delete one", "add one"]);
  });

  it("ends with the signal and leaves nothing open", async () => {
    const { reflection, seen } = world.reflect();
    await reflection.synced;
    await world.clock.settle();
    expect(world.open.size).toBe(1);
    world.stop.abort();
    await reflection.stopped;
    expect(world.open.size).toBe(0);
    await world.create("after");
    await world.clock.advance(600_000);
    expect(seen).toEqual([]);
  });
});

describe("shareReflections", () => {
  it("follows each kind and selection once, however often it is asked for", async () => {
    const world = createWorld();
    const reflections = shareReflections(world.tools);
    const first = reflections.of(ConfigMap);
    expect(reflections.of(ConfigMap)).toBe(first);
    const other = reflections.of(ConfigMap, { namespace: "default" });
    expect(other).not.toBe(first);
    await Promise.all([first.synced, other.synced]);
    await world.clock.settle();
    expect(world.requests.filter(isWatch)).toHaveLength(2);
    world.stop.abort();
    await reflections.stopped();
  });
});
