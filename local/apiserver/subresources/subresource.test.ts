import { describe, expect, test } from "vitest";
import { pod, pods, statefulSet, statefulSets, testServer } from "../testing/test-server.ts";

describe("eviction", () => {
  async function running(...names: string[]) {
    const api = testServer();
    for (const name of names) {
      await api.ask("POST", pods, pod(name, { nodeName: "n" }, { labels: { app: "db" } }));
      const conditions = [{ type: "Ready", status: "True" }];
      await api.merge(`${pods}/${name}/status`, { status: { phase: "Running", conditions } });
    }
    const evict = async (name: string, deleteOptions: object = {}) =>
      api.ask("POST", `${pods}/${name}/eviction`, { metadata: { name }, deleteOptions });
    const isGoing = async (name: string) =>
      (await api.ask("GET", `${pods}/${name}`)).json.metadata.deletionTimestamp !== undefined;
    return { ...api, evict, isGoing };
  }

  test("is a DELETE that leaves a reason", async () => {
    const { ask, evict } = await running("a");
    expect((await evict("a")).status).toBe(201);
    const { metadata, status } = (await ask("GET", `${pods}/a`)).json;
    expect([metadata.deletionGracePeriodSeconds, status.conditions[1]]).toEqual([
      30,
      {
        type: "DisruptionTarget",
        status: "True",
        reason: "EvictionByEvictionAPI",
        message: "Eviction API: evicting",
        lastProbeTime: null,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ]);
  });

  test("keeps its preconditions and its dry run", async () => {
    const { evict, isGoing } = await running("a");
    expect((await evict("a", { preconditions: { uid: "other" } })).status).toBe(409);
    expect((await evict("a", { preconditions: { resourceVersion: "1" } })).status).toBe(409);
    expect([(await evict("a", { dryRun: ["All"] })).status, await isGoing("a")]).toEqual([201, false]);
  });

  test("of a pod that does not exist is not found", async () => {
    expect((await (await running()).evict("nobody")).json.message).toBe('pods "nobody" not found');
  });
});

describe("scale", () => {
  const scale = `${statefulSets}/db/scale`;
  async function scalable() {
    const api = testServer();
    await api.ask("POST", statefulSets, statefulSet("db"));
    return api;
  }

  test("is changed by any kind of patch and by an update, and changes the generation", async () => {
    const { ask, merge } = await scalable();
    await merge(scale, { spec: { replicas: 2 } });
    const json = { "content-type": "application/json-patch+json" };
    await ask("PATCH", scale, [{ op: "test", path: "/spec/replicas", value: 2 }], json);
    await ask("PATCH", scale, [{ op: "replace", path: "/spec/replicas", value: 3 }], json);
    await ask("PUT", scale, { metadata: { name: "db" }, spec: { replicas: 4 } });
    const { metadata, spec } = (await ask("GET", `${statefulSets}/db`)).json;
    expect([metadata.generation, spec.replicas]).toEqual([4, 4]);
  });

  test("of a stale version, another uid or fewer than none is refused", async () => {
    const { ask, merge } = await scalable();
    expect((await merge(scale, { metadata: { resourceVersion: "1" }, spec: { replicas: 2 } })).status).toBe(409);
    const other = { metadata: { name: "db", uid: "other" }, spec: { replicas: 2 } };
    expect((await ask("PUT", scale, other)).status).toBe(409);
    expect((await merge(scale, { spec: { replicas: -1 } })).json.message).toBe(
      'StatefulSet.apps "db" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    expect((await merge(scale, { spec: { replicas: "x" } })).status).toBe(422);
  });
});
