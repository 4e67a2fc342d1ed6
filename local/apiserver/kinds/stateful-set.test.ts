import { expect, test } from "vitest";
import { statefulSet, statefulSets, testServer } from "../fixtures/server.ts";

const policy = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" } };

test("a server before 1.23 drops the retention policy, and says so where it is asked to", async () => {
  const { ask, merge } = testServer({ claimRetention: false });
  const created = await ask("POST", `${statefulSets}?fieldValidation=Warn`, statefulSet("db", policy));
  expect(created.status).toBe(201);
  expect(created.headers.warning).toContain('unknown field \\"spec.persistentVolumeClaimRetentionPolicy\\"');
  expect(created.json.spec).not.toHaveProperty("persistentVolumeClaimRetentionPolicy");
  expect(created.json.spec.updateStrategy).toEqual({ type: "RollingUpdate", rollingUpdate: { partition: 0 } });

  const changed = await merge(`${statefulSets}/db`, { spec: { ...policy, replicas: 2 } });
  expect(changed.json.spec).toMatchObject({ replicas: 2 });
  expect(changed.json.spec).not.toHaveProperty("persistentVolumeClaimRetentionPolicy");
  expect(changed.json.metadata.generation).toBe(2);
});

test("a server before 1.23 cannot apply the retention policy", async () => {
  const { ask } = testServer({ claimRetention: false });
  await ask("POST", statefulSets, statefulSet("db"));
  const { status, json } = await ask(
    "PATCH",
    `${statefulSets}/db?fieldManager=rule`,
    { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "db", namespace: "default" }, spec: policy },
    { "content-type": "application/apply-patch+yaml" },
  );
  expect([status, json.message]).toEqual([
    500,
    "failed to create typed patch object (default/db; apps/v1, Kind=StatefulSet): .spec.persistentVolumeClaimRetentionPolicy: field not declared in schema",
  ]);
});

test("a server before 1.23 does not describe the retention policy", async () => {
  const fieldsOf = async (claimRetention: boolean) => {
    const { ask } = testServer({ claimRetention });
    const { json } = await ask("GET", "/openapi/v3/apis/apps/v1");
    return Object.keys(json.components.schemas["io.k8s.v1.StatefulSetSpec"].properties);
  };
  const [with23, before] = [await fieldsOf(true), await fieldsOf(false)];
  expect(with23.filter((field) => !before.includes(field))).toEqual(["persistentVolumeClaimRetentionPolicy"]);
});
