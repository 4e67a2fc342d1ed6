import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadSystems } from "../../build/manifests/declared.ts";
import { readManifests } from "../../eventing/read-manifests.ts";
import { fieldManager } from "../../functions/pvc-retention/lib/field-managers.ts";
import { policyKey, readPolicy } from "../../functions/pvc-retention/lib/policy.ts";
import { syncPolicy } from "../../functions/pvc-retention/sync-policy/rule.ts";
import { readService } from "../../local/serving/plan.ts";
import { slug } from "../../shared/rule.ts";
import { holdfastProtection } from "../../shared/storage/protection.ts";
import { readKustomization, root } from "./kustomization.ts";
import { misspellings } from "./misspell.ts";
import { danglingReferences, identityOf } from "./references.ts";
import { faultsOf, ofKind } from "./schemas/schemas.ts";

const folders = globSync("{knative,sources}/**/kustomization.yaml", { cwd: root }).map(dirname).sort();
const options = folders
  .filter((folder) => /^knative\/(?!access|components|overlays|examples)[^/]+\/[^/]+$/.test(folder))
  .map((folder) => ({ system: basename(dirname(folder)), ...readKustomization(folder) }));
const { objects } = readKustomization("knative/overlays/default");
const declared = await loadSystems(root);

describe.each(folders)("%s", (folder) => {
  const { objects, patches, configMapGenerator } = readKustomization(folder);

  test("has only objects with fields that we know, each once", () => {
    expect(objects.length + patches.length + configMapGenerator.length).toBeGreaterThan(0);
    expect(objects.flatMap(faultsOf)).toEqual([]);
    const identities = objects.map(identityOf);
    expect(identities.filter((identity, index) => identities.indexOf(identity) !== index)).toEqual([]);
  });
});

describe("the default install", () => {
  test("is what kubectl apply -k knative applies", () => expect(readKustomization("knative").objects).toEqual(objects));

  test("has no reference that leads nowhere, nor has any option beside it", () => {
    expect(danglingReferences(objects)).toEqual([]);
    expect(options.length).toBeGreaterThan(2);
    for (const option of options) {
      const isOptional = declared.get(option.system)?.optional;
      const below = isOptional ? readKustomization(`knative/overlays/${option.system}`).objects : objects;
      expect(danglingReferences([...below, ...option.objects])).toEqual([]);
    }
  });

  test("is put together from the component of each system, and no component is forgotten", () => {
    const componentsOf = (overlay: string) =>
      readKustomization(`knative/overlays/${overlay}`)
        .components.map((path) => basename(path))
        .sort();
    const systems = new Set(globSync("functions/*/*/index.ts", { cwd: root }).map((file) => file.split("/")[1] ?? ""));
    const byDefault = [...systems].filter((system) => !declared.get(system)?.optional).sort();
    for (const overlay of ["access", "functions"]) expect(componentsOf(overlay)).toEqual(byDefault);
    for (const system of systems)
      if (declared.get(system)?.optional) expect(componentsOf(system)).toEqual([system, system]);
    for (const system of systems)
      for (const folder of [system, `access/${system}`])
        expect(readKustomization(`knative/${folder}`).kind).toBe("Component");
  });

  test("asks for no kind that Kubernetes 1.34 does not have", () =>
    expect(objects.filter(({ kind }) => kind.startsWith("MutatingAdmissionPolicy"))).toEqual([]));

  test("with the admission policies is what the guide installs first, and has every policy of its systems", () => {
    const readme = readFileSync(join(root, "docs/install-knative.md"), "utf8");
    const [first = ""] = /^ {2}- \.\.\/(knative\/overlays\/.+)$/m.exec(readme)?.slice(1) ?? [];
    const shipped = options.flatMap(({ system, objects }) =>
      declared.get(system)?.optional ? [] : objects.filter(({ kind }) => kind.startsWith("MutatingAdmissionPolicy")),
    );
    expect(shipped.length).toBeGreaterThan(0);
    expect(readKustomization(first).objects).toEqual(expect.arrayContaining([...objects, ...shipped]));
  });

  test("is obeyed by the laptop edition, every field of it", () => {
    expect(readManifests([join(root, "knative")]).map(({ object }) => object)).toEqual(objects);
    for (const service of objects.filter(({ kind }) => kind === "Service"))
      expect(() => readService(service)).not.toThrow();
  });
});

test("no generated role may delete a claim, with any system beside the default", () => {
  const roles = folders.flatMap((folder) => {
    const { objects } = readKustomization(folder);
    return [...ofKind("ClusterRole", objects), ...ofKind("Role", objects)].map((role) => [folder, role] as const);
  });
  expect(roles.length).toBeGreaterThan(10);
  const reaches = (list: readonly string[], wanted: RegExp) => list.some((one) => wanted.test(one));
  const deleting = roles.filter(([, { rules }]) =>
    rules.some(
      ({ resources, verbs }) =>
        reaches(resources, /^(\*|persistentvolumeclaims)$/) && reaches(verbs, /^(\*|delete|deletecollection)$/),
    ),
  );
  expect(deleting.map(([folder, { metadata }]) => `${folder}: ${metadata.name}`)).toEqual([]);
});

test("a misspelt field is noticed, wherever it is", () => {
  // Overlays bring the same objects together again and again.
  const all = folders.flatMap((folder) => readKustomization(folder).objects);
  // The API server itself refuses fields of definitions that it does not know, and what settings are called is a test
  // of its own.
  const ours = all.filter(
    ({ kind, data = {} }) =>
      kind !== "CustomResourceDefinition" &&
      !(kind === "ConfigMap" && !Object.keys(data as object)[0]?.endsWith(".yaml")),
  );
  const everything = [...new Map(ours.map((object) => [JSON.stringify(object), object])).values()];
  const tried = everything
    .flatMap((object) => misspellings(object).map((misspelling) => ({ object, ...misspelling })))
    // A label may have any name.
    .filter(({ path }) => !path.includes("selector.matchLabels."));
  expect(tried.length).toBeGreaterThan(500);
  const unnoticed = tried.filter(({ spoilt }) => faultsOf(spoilt).length === 0);
  expect(unnoticed.map(({ object, path }) => `${object.kind} ${object.metadata.name}: ${path}`)).toEqual([]);
});

test("the admission policy stamps the finalizer that protect adds and release removes", () => {
  const [policy] = ofKind(
    "MutatingAdmissionPolicy",
    readKustomization("knative/pvc-protection/admission-policy").objects,
  );
  const [mutation] = policy?.spec.mutations ?? [];
  expect(mutation?.applyConfiguration.expression.replaceAll(/\s/g, "")).toBe(
    `Object{metadata:Object.metadata{finalizers:["${holdfastProtection}"]}}`,
  );
});

test("PVC retention's admission policy knows the rules' annotations, policies, account and field manager", () => {
  const [policy] = ofKind(
    "MutatingAdmissionPolicy",
    readKustomization("knative/pvc-retention/admission-policy").objects,
  );
  const { matchConditions = [], variables = [] } = policy?.spec ?? {};
  const expressionOf = (name: string) => variables.find((variable) => variable.name === name)?.expression;
  expect(matchConditions[0]?.expression).toContain(`"system:serviceaccount:holdfast:${slug(syncPolicy.name)}"`);
  expect(expressionOf("policy")).toContain(`"${policyKey}"`);
  expect(expressionOf("projected")).toContain(`"${fieldManager}"`);
  const names = [
    "Retain",
    "DeleteOnStatefulSetDeletionOnly",
    "DeleteOnScaledownOnly",
    "DeleteOnScaledownAndStatefulSetDeletion",
  ];
  const deleting = (leaf: "whenDeleted" | "whenScaled") =>
    names.filter((name) => policyNamed(name)?.[leaf] === "Delete");
  for (const [variable, leaf] of [
    ["keepsWhenDeleted", "whenDeleted"],
    ["keepsWhenScaled", "whenScaled"],
  ] as const)
    expect(expressionOf(variable)).toContain(
      `variables.policy in [${deleting(leaf)
        .map((name) => `"${name}"`)
        .join(", ")}]`,
    );
});

function policyNamed(name: string) {
  const metadata = { name: "web", uid: "1", resourceVersion: "1", annotations: { [policyKey]: name } };
  return readPolicy({ apiVersion: "apps/v1", kind: "StatefulSet", metadata }, undefined);
}
