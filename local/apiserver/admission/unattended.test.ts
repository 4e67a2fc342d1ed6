import { expect, test } from "vitest";
import { statefulSet, statefulSets, testServer } from "../testing/test-server.ts";

test("the user who creates a Deployment is warned that no controller acts on it", async () => {
  const { ask, merge } = testServer();
  const { serviceName, ...spec } = statefulSet("web").spec;
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const made = await ask("POST", deployments, { ...statefulSet("web"), spec });
  expect([made.status, made.headers.warning]).toEqual([
    201,
    '299 - "the laptop edition has no controller for deployments: no pods will be made of this one"',
  ]);
  expect((await merge(`${deployments}/web`, { spec: { replicas: 2 } })).headers.warning).toBeUndefined();
  expect((await ask("POST", statefulSets, statefulSet("web"))).headers.warning).toBeUndefined();
});
