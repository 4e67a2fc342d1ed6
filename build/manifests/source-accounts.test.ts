import { expect, test } from "vitest";
import { sourceAccountTables } from "./source-accounts.ts";

const role = (name: string, group: string, resource: string) =>
  `kind: ClusterRole\nmetadata: { name: ${name} }\n` +
  `rules: [{ apiGroups: ["${group}"], resources: [${resource}] }]\n---\n` +
  `kind: ClusterRoleBinding\nroleRef: { name: ${name} }\nsubjects: [{ name: storage-source }]\n`;

test("an account has a row for each role that something installed gives it, and other manifests have none", () => {
  const files = new Map([
    ["sources/storage.yaml", role("a", "", "pods")],
    ["knative/volume/source.yaml", role("b", "storage.example", "volumes")],
    ["knative/overlays/no-knative/source.yaml", role("c", "", "namespaces")],
    ["knative/access/volume/delete-pv.yaml", role("d", "", "nodes")],
  ]);
  expect(sourceAccountTables(files).sources?.trim().split("\n").slice(2)).toEqual([
    "| `storage-source` | the default | `pods` |",
    "| `storage-source` | `volume` | `volumes` of `storage.example` |",
  ]);
});
