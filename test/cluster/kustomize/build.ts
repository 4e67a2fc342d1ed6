import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect } from "vitest";
import { stringify } from "yaml";
import { readTable } from "../../../functions/platform/sweep/table.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { parseYaml, root, standard } from "../../manifests/kustomization.ts";
import { identityOf } from "../../manifests/references.ts";
import { ofKind } from "../../manifests/schemas/schemas.ts";
import { run } from "../kubectl.ts";

/** What kubectl's own kustomize makes of a folder of the repository. */
export function build(folder: string): KubernetesObject[] {
  return parseYaml(run(["kustomize", join(root, folder)]), folder) as KubernetesObject[];
}

/** An administrator's kustomization; resources and components are folders of the repository, objects are their own. */
interface Overlay {
  readonly objects?: readonly KubernetesObject[];
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly namespace?: string;
  readonly patches?: readonly object[];
  readonly replacements?: readonly object[];
}

/** Builds an overlay that lies outside of the repository, on the default where it names nothing else. */
export function buildOverlay({
  objects = [],
  resources = [standard],
  components = [],
  ...rest
}: Overlay): KubernetesObject[] {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-kustomize-"));
  const from = (path: string) => relative(folder, join(root, path));
  try {
    const own = objects.map((object, index) => {
      writeFileSync(join(folder, `${index}.yaml`), stringify(object));
      return `${index}.yaml`;
    });
    const parts = { resources: [...own, ...resources.map(from)], components: components.map(from) };
    writeFileSync(join(folder, "kustomization.yaml"), stringify({ ...parts, ...rest }));
    return parseYaml(run(["kustomize", folder]), folder) as KubernetesObject[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Objects in an order that does not depend on that of the files. */
export function sorted(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return objects.toSorted((one, other) => (identityOf(one) < identityOf(other) ? -1 : 1));
}

/** The names of all objects of a kind, sorted. */
export function namesOf(kind: string, objects: readonly KubernetesObject[]): string[] {
  return objects
    .filter((object) => object.kind === kind)
    .map(({ metadata }) => metadata.name)
    .sort();
}

/** The environment variables of a function: of its Knative Service, or of its Deployment. */
export function environmentOf(service: string, objects: readonly KubernetesObject[]): Record<string, string> {
  const functions = [...ofKind("Service", objects), ...ofKind("Deployment", objects)];
  const found = functions.find(({ metadata }) => metadata.name === service);
  return Object.fromEntries(
    found?.spec.template.spec.containers[0].env.map(({ name, value = "" }) => [name, value]) ?? [],
  );
}

/** The rows of the sweep's tables. */
export function sweepRows(objects: readonly KubernetesObject[]): ReturnType<typeof readTable>["rows"] {
  const tables = ofKind("ConfigMap", objects).filter(({ data }) => "table.yaml" in data);
  return tables.flatMap(({ metadata, data }) => {
    const { rows, faults } = readTable(data["table.yaml"] ?? "", metadata.namespace ?? "");
    expect(faults).toEqual([]);
    return rows;
  });
}

/** An event about an object of a kind. */
export const eventOf = (type: string, apiversion: string, kind: string) => ({
  specversion: "1.0",
  id: "1",
  source: "a",
  type,
  apiversion,
  kind,
  namespace: "shop",
  name: "x",
});
