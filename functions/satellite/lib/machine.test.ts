import { expect, test } from "vitest";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { lookAtMachine } from "./machine.ts";

const identity = { namespace: "machines", name: "worker" };
const satellite = {
  apiVersion: "piraeus.io/v1",
  kind: "LinstorSatellite",
  metadata: { name: "node-1", uid: "s1", resourceVersion: "1" },
};

/** A management cluster whose Machine is read so often, and then is gone, with a Cluster or without. */
function management(reads: number, cluster?: object): Client {
  let left = reads;
  const machine = { metadata: { name: "worker" }, spec: { clusterName: "workload" } };
  return {
    request: async () => ({ versions: [{ groupVersion: "cluster.x-k8s.io/v1beta2" }] }),
    get: async ({ kind }: Kind) => (kind === "Cluster" ? cluster : left-- > 0 ? machine : undefined),
  } as unknown as Client;
}

test("a Machine that has gone with its Cluster between two reads is gone", async () => {
  expect(await lookAtMachine(management(1), satellite, identity)).toBeUndefined();
});

test("a Machine whose Cluster is not there is there, and its Cluster is not being deleted", async () => {
  expect(await lookAtMachine(management(2), satellite, identity)).toMatchObject({ clusterDeleting: false });
});

test("a Machine is read once where its Cluster is there", async () => {
  const going = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
  expect(await lookAtMachine(management(1, going), satellite, identity)).toMatchObject({ clusterDeleting: true });
  expect(await lookAtMachine(management(1, { metadata: {} }), satellite, identity)).toMatchObject({
    clusterDeleting: false,
  });
});
