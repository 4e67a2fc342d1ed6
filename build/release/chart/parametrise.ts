import { variableOf } from "../../../shared/settings.ts";
import { type Declared, systemOf } from "../../manifests/declared.ts";
import { settingsConfigMap } from "../../manifests/environment.ts";
import { namespace } from "../../manifests/metadata.ts";
import { withAddresses } from "./addresses.ts";
import type { ChartDocument } from "./documents.ts";
import { withExcludedNamespaces } from "./excluded-namespaces.ts";
import { Expression, isMap, Lines, type Tree, type TreeMap } from "./tree.ts";
import { settingsByName } from "./values.ts";

/** What an administrator may say in values about the objects of the chart. */
export function parametrise(document: ChartDocument, functions: readonly Declared[]): TreeMap {
  const { key } = document;
  const tree = withExcludedNamespaces(document.tree, key);
  const kind = key.split(" ")[1];
  const settings = settingsByName(functions);
  const name = nameOf(tree);
  if (kind === "Trigger") return at(tree, ["spec", "filters"], (filters) => withFilters(filters, name));
  if (kind === "ConfigMap") {
    const system = [...new Set(functions.map(systemOf))].find((one) => key.endsWith(`/${settingsConfigMap(one)}`));
    const variables = new Set(settings.get(system ?? "")?.map(({ variable }) => variable));
    return system
      ? at(tree, ["data"], (data) =>
          mapEntries(data, (_, variable) => (variables.has(variable) ? setting(system, variable) : undefined)),
        )
      : tree;
  }
  if (kind === "NetworkPolicy") return withAddresses(tree);
  if (kind === "Role" || kind === "RoleBinding") return inNamespaceOfSetting(tree, name, functions);
  if (kind === "CustomResourceDefinition" || kind === "Namespace") return kept(tree);
  const variables = new Set(settings.get(name)?.map(({ variable }) => variable));
  return at(tree, ["spec", "template", "spec", "containers"], (containers) =>
    (containers as readonly Tree[]).map((container) => {
      if (!isMap(container)) return container;
      const image = String(container.image).replace(/^fn:\/\//, "");
      return {
        ...container,
        image: new Expression(`{{ include "holdfast.image" (list $ ${JSON.stringify(image)}) }}`),
        resources: new Expression(
          `{{ index $.Values.resources ${JSON.stringify(image)} | default $.Values.resources.default | toJson }}`,
        ),
        ...(Array.isArray(container.env)
          ? { env: [...container.env.map((one: Tree) => withSetting(one, name, variables)), telemetry] }
          : {}),
      };
    }),
  );
}

/** A Role, or its binding, in the namespace that a setting names follows this setting. */
function inNamespaceOfSetting(tree: TreeMap, name: string, functions: readonly Declared[]): TreeMap {
  if ((tree.metadata as { namespace?: string }).namespace === namespace) return tree;
  const permissions = functions.find((one) => one.name === name)?.permissions ?? [];
  const named = permissions.find(({ namespaceSetting }) => namespaceSetting)?.namespaceSetting;
  if (!named) return tree;
  const variable = variableOf(named);
  const [system = ""] = name.split("/");
  const isShared = settingsByName(functions)
    .get(system)
    ?.some((one) => one.variable === variable);
  return at(tree, ["metadata", "namespace"], () => setting(isShared ? system : name, variable));
}

/** `<system>/<function>`, by the labels that everything has. */
function nameOf(tree: TreeMap): string {
  const { labels } = tree.metadata as { labels?: Record<string, string> };
  return `${labels?.["app.kubernetes.io/name"]}/${labels?.["app.kubernetes.io/component"]}`;
}

/** The same with another subtree at a path; unchanged where there is none. */
function at(tree: TreeMap, [key = "", ...path]: readonly string[], change: (part: Tree) => Tree): TreeMap {
  const part = tree[key];
  if (part === undefined) return tree;
  if (path.length === 0) return { ...tree, [key]: change(part) };
  return isMap(part) ? { ...tree, [key]: at(part, path, change) } : tree;
}

function mapEntries(tree: Tree, change: (value: Tree, key: string) => Tree | undefined): Tree {
  if (!isMap(tree)) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, change(value, key) ?? value]));
}

const settingOf = (name: string, variable: string) =>
  `index $.Values.settings ${JSON.stringify(name)} ${JSON.stringify(variable)}`;

const setting = (name: string, variable: string) =>
  new Expression(`{{ ${settingOf(name, variable)} | toString | quote }}`);

/** An environment variable. One that is empty has no value, because Knative's webhook would take it away. */
function withSetting(variable: Tree, name: string, known: ReadonlySet<string>): Tree {
  if (!isMap(variable) || typeof variable.name !== "string" || !known.has(variable.name)) return variable;
  const { value } = variable;
  if (value === undefined)
    return new Lines([
      `- name: ${variable.name}`,
      `  {{- with ${settingOf(name, variable.name)} }}`,
      "  value: {{ . | toString | quote }}",
      "  {{- end }}",
    ]);
  // What an option sets is not for values to say.
  return typeof value === "string" ? { ...variable, value: setting(name, variable.name) } : variable;
}

const telemetry = new Lines([
  "{{- range $name, $value := $.Values.telemetry }}",
  "- name: {{ $name }}",
  "  value: {{ $value | toString | quote }}",
  "{{- end }}",
]);

function withFilters(filters: Tree, name: string): Tree {
  if (!Array.isArray(filters)) throw new Error(`A Trigger of ${name} has no filters.`);
  const [system = ""] = name.split("/");
  const keys = ["all", system, name];
  const lines = keys.flatMap((key) => [
    `{{- range (index $.Values.filters ${JSON.stringify(key)}) }}`,
    "- {{ . | toJson }}",
    "{{- end }}",
  ]);
  return [...filters, new Lines(lines)];
}

/** With a definition its objects go, and with a namespace all that is in it: Helm leaves both. */
function kept(tree: TreeMap): TreeMap {
  const metadata = tree.metadata as TreeMap;
  const annotations = { ...(metadata.annotations as TreeMap | undefined), "helm.sh/resource-policy": "keep" };
  return { ...tree, metadata: { ...metadata, annotations } };
}
