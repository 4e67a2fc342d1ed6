import { describe, expect, test } from "vitest";
import { satelliteFinalizer } from "../../functions/satellite/lib/satellite.ts";
import { persistentVolume, volume } from "../../functions/volume/testing/objects.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { withoutSystems } from "./without-systems.ts";

// A 404 that is not the API server's word about an object: a definition that is being replaced, a version that is not
// served any more, or a load balancer that answers for the API server. What depends on the object must not be taken
// for free.

const satellite = {
  apiVersion: "piraeus.io/v1",
  kind: "LinstorSatellite",
  metadata: {
    name: "node-1",
    uid: "u-1",
    resourceVersion: "7",
    finalizers: [satelliteFinalizer],
    deletionTimestamp: "2026-03-01T11:59:00Z",
  },
  spec: { clusterRef: { name: "linstorcluster" }, deletionPolicy: "Evacuate" },
} as const;

/**
 * Gives a rule, by its name, an event of an object, of a cluster in which nothing but this object and `others` is, and
 * pages instead of `stray`.
 */
async function give(rule: string, object: KubernetesObject, others: readonly KubernetesObject[], stray: RegExp) {
  const clock = virtualClock(Date.parse("2026-03-01T12:00:00Z"));
  const written: string[] = [];
  const sent: string[] = [];
  async function* text(body: string) {
    yield body;
  }
  const client = createClient(
    async ({ method, path }) => {
      const answer = (status: number, body: object | string) => ({
        status,
        headers: {},
        body: text(typeof body === "string" ? body : JSON.stringify(body)),
      });
      if (method !== "GET") {
        written.push(`${method} ${path}`);
        return answer(200, object);
      }
      if (stray.test(path)) return answer(404, "404 page not found\n");
      const name = path.split("?")[0]?.split("/").at(-1);
      const found = [object, ...others].find(
        ({ metadata, kind }) => metadata.name === name && path.includes(`/${kind.toLowerCase()}`),
      );
      if (found) return answer(200, found);
      if (path.includes("?")) {
        const items = path.includes(`/${object.kind.toLowerCase()}`) ? [object] : [];
        return answer(200, { apiVersion: object.apiVersion, kind: "List", metadata: { resourceVersion: "9" }, items });
      }
      return answer(404, { kind: "Status", code: 404, reason: "NotFound", message: "", details: { name } });
    },
    { clock },
  );
  const handle = withoutSystems(rule, client, clock, (path) => sent.push(path));
  const { apiVersion, kind, metadata } = object;
  const headers = {
    "ce-specversion": "1.0",
    "ce-id": "1",
    "ce-source": "/",
    "ce-type": "dev.holdfast.sweep",
    "ce-kind": kind,
    "ce-apiversion": apiVersion,
    "ce-name": metadata.name,
  };
  return { reply: await handle({ headers, body: "" }), written, sent };
}

test("storage is not taken back where the PersistentVolume of its Volume cannot be asked for", async () => {
  const deleted = volume({ phase: "Available", job: "", deleting: true });
  const bound = persistentVolume({ phase: "Bound" });
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n0", uid: "u-2", resourceVersion: "3" } };
  const { reply, written, sent } = await give("volume/run-job", deleted, [bound, node], /persistentvolumes/);
  expect(reply).toMatchObject({ status: 503, body: expect.stringContaining("says nothing about the object") });
  expect([...written, ...sent]).toEqual([]);
});

describe("a satellite keeps its finalizer where its LinstorCluster cannot be asked for", () => {
  test.each([
    ["satellite/remove", "Evacuate"],
    ["satellite/retain", "Retain"],
  ])("%s", async (rule, policy) => {
    const object = { ...satellite, spec: { ...satellite.spec, deletionPolicy: policy } };
    const { reply, written } = await give(rule, object as never, [], /linstorclusters/);
    expect(reply).toMatchObject({ status: 503, body: expect.stringContaining("says nothing about the object") });
    expect(written).toEqual([]);
  });
});
