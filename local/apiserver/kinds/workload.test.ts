import { expect, test } from "vitest";
import { statefulSet, testServer } from "../testing/test-server.ts";

// What StatefulSets are completed with, refused for and may change is held to a real server's: test/contract.

test("a Deployment counts no changes of its metadata, and keeps its selector", async () => {
  const { ask, merge } = testServer();
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const { serviceName, ...spec } = statefulSet("web").spec;
  await ask("POST", deployments, { metadata: { name: "web" }, spec });
  const labelled = await merge(`${deployments}/web`, { metadata: { labels: { a: "b" } } });
  expect(labelled.json.metadata.generation).toBe(1);
  const selector = { matchLabels: { app: "web" }, matchExpressions: [{ key: "app", operator: "Exists" }] };
  expect((await merge(`${deployments}/web`, { spec: { selector } })).status).toBe(422);
});
