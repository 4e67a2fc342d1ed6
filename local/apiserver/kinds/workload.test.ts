import { expect, test } from "vitest";
import { statefulSet, testServer } from "../fixtures/test-server.ts";

// What StatefulSets are completed with, refused for and may change is held to a real server's: test/contract.

test("a Deployment counts changes of its annotations as well, and keeps its selector", async () => {
  const { ask, merge } = testServer();
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const { serviceName, ...spec } = statefulSet("web").spec;
  await ask("POST", deployments, { metadata: { name: "web" }, spec });
  const generation = async (metadata: object) =>
    (await merge(`${deployments}/web`, { metadata })).json.metadata.generation;
  expect([await generation({ labels: { a: "b" } }), await generation({ annotations: { a: "b" } })]).toEqual([1, 2]);
  const selector = { matchLabels: { app: "web" }, matchExpressions: [{ key: "app", operator: "Exists" }] };
  expect((await merge(`${deployments}/web`, { spec: { selector } })).status).toBe(422);
});
