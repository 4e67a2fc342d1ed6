import { parseAllDocuments } from "yaml";
import { table } from "./markdown-table.ts";
import type { Tables } from "./reference.ts";

interface Document {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly resources: {
    readonly requests: { readonly cpu: string; readonly memory: string };
    readonly limits: { readonly memory: string };
  };
}

const folder = "knative/overlays/no-knative";

/**
 * What `docs/install-without-knative.md` says of the cost: for the default, each optional system and all of them, the
 * Deployments and the sum of what their containers request and may use.
 *
 * @param files all generated manifests by path
 */
export function costTables(files: ReadonlyMap<string, string>): Tables {
  const containersIn = (path: string): readonly Container[] =>
    parseAllDocuments(files.get(path) ?? "")
      .map((document) => document.toJS() as Document)
      .filter(({ kind }) => kind === "Deployment")
      .flatMap(({ spec }) => spec.template.spec.containers);
  const byDefault = ["functions.yaml", "source.yaml"].flatMap((file) => containersIn(`${folder}/${file}`));
  const optional = [...files.keys()].flatMap((path) => {
    const [, system] = new RegExp(`^${folder}/([^/]+)/functions\\.yaml$`).exec(path) ?? [];
    return system ? [{ system, containers: containersIn(path) }] : [];
  });
  const rows = [
    row("The default", byDefault),
    ...optional.map(({ system, containers }) => row(`\`${system}\` adds`, containers)),
    row("All together", [...byDefault, ...optional.flatMap(({ containers }) => containers)]),
  ];
  return {
    cost: table(["What is installed", "Deployments", "CPU requested", "Memory requested", "Memory limit"], rows),
  };
}

function row(what: string, containers: readonly Container[]): readonly string[] {
  const sum = (unit: string, of: (resources: Container["resources"]) => string) =>
    `${containers.reduce((total, { resources }) => total + amount(of(resources), unit), 0)}${unit}`;
  return [
    what,
    `${containers.length}`,
    sum("m", ({ requests }) => requests.cpu),
    sum("Mi", ({ requests }) => requests.memory),
    sum("Mi", ({ limits }) => limits.memory),
  ];
}

/** @throws Error when the amount has another unit, in which it could not be added. */
function amount(text: string, unit: string): number {
  if (!text.endsWith(unit)) throw new Error(`Give the amount ${text} of a container in ${unit}.`);
  return Number.parseInt(text, 10);
}
