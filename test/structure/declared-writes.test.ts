import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { Event } from "../../shared/kubernetes/kind.ts";

const declared = await loadDeclared(join(import.meta.dirname, "../.."));
const permissions = declared.flatMap(({ name, permissions }) =>
  permissions.filter(({ subresource }) => !subresource).map((permission) => ({ name, ...permission })),
);

test("a permission to patch says what is written", () => {
  const silent = permissions.filter(({ verbs, writes }) => verbs.includes("patch") && !writes);
  const sentences = silent.map(
    ({ name, resource: { kind } }) =>
      `${name} patches ${kind} and does not say what of it: add \`writes: { annotations: [...] }\` to this ` +
      "permission (or labels, finalizers, ownerReferences, fields; {} where it writes its progress alone), " +
      'then run "npm run manifests".',
  );
  expect(sentences).toEqual([]);
});

test("a permission to create or delete says which objects", () => {
  const unbound = permissions.flatMap(({ name, resource, verbs, bounds = [] }) =>
    (["create", "delete"] as const)
      .filter((verb) => resource !== Event && verbs.includes(verb) && !bounds.some(({ on }) => on.includes(verb)))
      .map(
        (verb) =>
          `${name} may ${verb} any ${resource.kind}: add \`bounds: [{ on: ["${verb}"], says, cel }]\` to this ` +
          'permission, then run "npm run manifests".',
      ),
  );
  expect(unbound).toEqual([]);
});

test("no function may write ConfigMaps, DaemonSets, Leases or Pods in all namespaces", () => {
  const writes = ["create", "patch", "update", "delete"];
  const kinds = ["ConfigMap", "DaemonSet", "Lease", "Pod"];
  const everywhere = permissions.filter(
    ({ resource, verbs, ownNamespace, namespaceSetting }) =>
      kinds.includes(resource.kind) &&
      verbs.some((verb) => writes.includes(verb)) &&
      !ownNamespace &&
      !namespaceSetting,
  );
  expect(permissions.filter(({ resource }) => kinds.includes(resource.kind)).length).toBeGreaterThanOrEqual(8);
  expect(everywhere.map(({ name, resource }) => `${name} writes ${resource.kind}s in all namespaces`)).toEqual([]);
});

test("no function replaces objects, which no declaration could hold", () =>
  expect(permissions.filter(({ verbs }) => verbs.includes("update")).map(({ name }) => name)).toEqual([]));
