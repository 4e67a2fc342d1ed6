import { describe, expect, test } from "vitest";
import { statefulSet, statefulSets, testServer } from "../fixtures/test-server.ts";

test("defaults of a StatefulSet", async () => {
  const { ask } = testServer();
  const asked = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const template = { metadata: { name: "data" }, spec: asked };
  const { json } = await ask("POST", statefulSets, statefulSet("db", { volumeClaimTemplates: [template] }));
  const { template: _, ...spec } = json.spec;
  expect(spec).toEqual({
    serviceName: "db",
    selector: { matchLabels: { app: "db" } },
    replicas: 1,
    podManagementPolicy: "OrderedReady",
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    volumeClaimTemplates: [
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "data" },
        spec: { ...asked, volumeMode: "Filesystem" },
        status: { phase: "Pending" },
      },
    ],
  });
  expect([json.metadata.generation, json.status]).toEqual([1, { replicas: 0, availableReplicas: 0 }]);
});

describe("what is wrong with a StatefulSet", () => {
  test.each<[object, string[]]>([
    [{ selector: undefined }, ["spec.selector", "spec.template.metadata.labels"]],
    [{ selector: { matchLabels: { app: "other" } } }, ["spec.template.metadata.labels"]],
    [{ replicas: -1 }, ["spec.replicas"]],
    [
      { persistentVolumeClaimRetentionPolicy: { whenScaled: "Foo" } },
      ["spec.persistentVolumeClaimRetentionPolicy.whenScaled"],
    ],
  ])("%j", async (spec, fields) => {
    const { status, json } = await testServer().ask("POST", statefulSets, statefulSet("db", spec));
    const causes: { field: string }[] = json.details.causes;
    expect([status, causes.map(({ field }) => field)]).toEqual([422, fields]);
  });
});

test("what may change of a StatefulSet", async () => {
  const { ask, merge } = testServer();
  await ask("POST", statefulSets, statefulSet("db"));
  const policy = {
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
    replicas: 3,
    ordinals: { start: 2 },
  };
  expect((await merge(`${statefulSets}/db`, { spec: policy })).json.spec).toMatchObject(policy);
  expect((await merge(`${statefulSets}/db`, { spec: { serviceName: "other" } })).json.message).toBe(
    'StatefulSet.apps "db" is invalid: spec: Forbidden: updates to statefulset spec for fields other than ' +
      "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', " +
      "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  );
});

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
