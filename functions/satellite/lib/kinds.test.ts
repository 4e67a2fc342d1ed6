import { expect, test } from "vitest";
import { managementKinds } from "./kinds.ts";

test.each([
  [["cluster.x-k8s.io/v1beta1", "cluster.x-k8s.io/v1beta2"], "cluster.x-k8s.io/v1beta2"],
  [["cluster.x-k8s.io/v1beta1"], "cluster.x-k8s.io/v1beta1"],
  [["apps/v1"], undefined],
  [[], undefined],
])("of %j the newest is taken", (served, version) => {
  const kinds = managementKinds(served);
  expect([kinds?.machine.apiVersion, kinds?.cluster.apiVersion]).toEqual([version, version]);
});
