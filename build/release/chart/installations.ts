import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { parse, parseAllDocuments, stringify } from "yaml";
import { temporaryFolder } from "../../../shared/command/temporary-folder.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { buildKustomization } from "../../resolve/sources.ts";

/** What an administrator may choose, as the folders of `knative/` have it. */
export interface Choices {
  readonly systems: readonly string[];
  /** The systems that `overlays/default` has. */
  readonly byDefault: readonly string[];
  /** `<system>/<option>`. */
  readonly options: readonly string[];
  readonly components: readonly string[];
  /** By the name of a component, or `no-knative`: the parts of it that an option or a system needs. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
  /** What a folder says of itself, by its path below `knative/`. */
  aboutOf(folder: string): string;
}

/** Reads the choices from the folders of `knative/` below `root`. */
export function choicesOf(root: string): Choices {
  const knative = join(root, "knative");
  const foldersOf = (...patterns: readonly string[]) =>
    globSync(
      patterns.map((pattern) => `${pattern}/kustomization.yaml`),
      { cwd: knative },
    )
      .map((file) => dirname(file).replaceAll("\\", "/"))
      .sort();
  const systems = foldersOf("access/*").map((folder) => basename(folder));
  const { components = [] } = parse(readFileSync(join(knative, "overlays/access/kustomization.yaml"), "utf8"));
  const partsOf = (name: string, folder: string): [string, string[]] => [
    name,
    foldersOf(`${folder}/*`).map((path) => basename(path)),
  ];
  const modifiers = foldersOf("components/*").map((folder) => basename(folder));
  return {
    systems: systems.filter((system) => system !== "platform"),
    byDefault: (components as string[]).map((path) => basename(path)).filter((system) => system !== "platform"),
    options: foldersOf(...systems.map((system) => `${system}/*`)),
    components: modifiers,
    parts: new Map([
      ...modifiers.map((name) => partsOf(name, `components/${name}`)),
      partsOf("no-knative", "overlays/no-knative"),
    ]),
    aboutOf: (folder) => aboutOf(readFileSync(join(knative, folder, "kustomization.yaml"), "utf8")),
  };
}

/** The comment at a file's head, without the line about its generation. */
function aboutOf(text: string): string {
  const head = /^(?:#.*\n)*/.exec(text)?.[0] ?? "";
  const lines = head.split("\n").filter((line) => line && !line.startsWith("# Generated from "));
  return lines.map((line) => line.replace(/^# ?/, "")).join(" ");
}

/**
 * What kustomize makes of a folder below `knative/` with components from there.
 *
 * @throws UserError where there is no kubectl, or where it complains
 */
export async function installation(
  root: string,
  resource: string,
  components: readonly string[] = [],
): Promise<readonly KubernetesObject[]> {
  using temporary = temporaryFolder("kustomize");
  const from = (path: string) => relative(temporary.path, join(root, "knative", path));
  const kustomization = { resources: [from(resource)], components: components.map(from) };
  writeFileSync(join(temporary.path, "kustomization.yaml"), stringify(kustomization));
  const { text } = await buildKustomization(temporary.path);
  // kustomize names a generated ConfigMap after what is in it; the chart has one name for all contents.
  const unhashed = text.replaceAll(/\b(holdfast-eventing)-[0-9a-z]{10}\b/g, "$1");
  return parseAllDocuments(unhashed).map((document) => document.toJS({ maxAliasCount: -1 }) as KubernetesObject);
}
