import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { SystemDeclaration } from "../../../shared/system-declaration.ts";
import type { Declared } from "../../manifests/declared.ts";
import { namespace } from "../../manifests/metadata.ts";
import { toYaml } from "../../manifests/yaml.ts";
import { type Condition, on, toTemplate } from "./condition.ts";
import { type ChartDocument, documentsOf } from "./documents.ts";
import { choicesOf } from "./installations.ts";
import { parametrise } from "./parametrise.ts";
import { toLines } from "./to-lines.ts";
import { Expression, type TreeMap } from "./tree.ts";
import { resourcesByImage, valuesSchema, valuesYaml } from "./values.ts";

/** What a chart is made of. */
export interface ChartSources {
  /** The repository. */
  readonly root: string;
  readonly functions: readonly Declared[];
  readonly systems: ReadonlyMap<string, SystemDeclaration>;
  readonly version: string;
  readonly description: string;
  readonly repository: string;
  readonly digests: ReadonlyMap<string, string>;
}

/**
 * The files of the Helm chart, by their paths in it.
 *
 * @throws UserError where there is no kubectl
 */
export async function chartOf(sources: ChartSources): Promise<ReadonlyMap<string, string>> {
  const { root, functions, systems, version, description, repository, digests } = sources;
  const choices = choicesOf(root);
  const { documents, needKnative } = await documentsOf(root, choices);
  const byImage = resourcesByImage(documents.map(({ tree }) => tree as unknown as KubernetesObject));
  const [usual = {}] = mostFrequent([...byImage.values()]);
  const facts = {
    choices,
    functions,
    systemDocs: new Map([...systems].map(([name, { doc }]) => [name, doc])),
    repository,
    digests,
    resources: usual,
    otherResources: Object.fromEntries([...byImage].filter(([, one]) => JSON.stringify(one) !== JSON.stringify(usual))),
  };
  const chart = { apiVersion: "v2", name: "holdfast", type: "application", version, appVersion: version, description };
  const files = new Map([
    ["Chart.yaml", toYaml({ ...chart, kubeVersion: ">=1.34.0-0" })],
    ["values.yaml", valuesYaml(facts)],
    ["values.schema.json", `${JSON.stringify(valuesSchema(facts, needKnative), null, 2)}\n`],
    ["templates/_image.tpl", image],
    ["templates/namespace-is-holdfast.yaml", onlyInNamespace],
    ["templates/NOTES.txt", notes],
  ]);
  for (const [name, members] of Map.groupBy(documents, fileOf))
    files.set(`templates/${name}.yaml`, members.map((document) => textOf(document, functions)).join(""));
  return files;
}

/** Where an object is said: by what it is there for. */
function fileOf({ when }: ChartDocument): string {
  const path = when.findLast(({ path, on }) => on && path.length > 1)?.path;
  if (path) return path.join("-").replaceAll("/", "-");
  return when.some(({ on }) => !on) ? "without-knative" : "platform";
}

function textOf(document: ChartDocument, functions: readonly Declared[]): string {
  const isNamespace = document.key.split(" ")[1] === "Namespace";
  const when: Condition = isNamespace ? [...document.when, on("namespace", "create")] : document.when;
  const lines = ["---", ...toLines(rollsWithEventing(parametrise(document, functions)))];
  const whole = when.length > 0 ? [`{{- if ${toTemplate(when)} }}`, ...lines, "{{- end }}"] : lines;
  return `${whole.join("\n")}\n`;
}

/** What kustomize does by the ConfigMap's name: the Deployment rolls when what it obeys has changed. */
function rollsWithEventing(tree: TreeMap): TreeMap {
  const { kind, metadata, spec } = tree as unknown as Deployment;
  if (kind !== "Deployment" || metadata.name !== "platform-source") return tree;
  const chosen = "{{ list $.Values.systems $.Values.options $.Chart.Version | toJson | sha256sum }}";
  const annotations = { ...spec.template.metadata.annotations, "holdfast.dev/eventing": new Expression(chosen) };
  const template = { ...spec.template, metadata: { ...spec.template.metadata, annotations } };
  return { ...tree, spec: { ...spec, template } } as unknown as TreeMap;
}

interface Deployment {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: { readonly metadata: { readonly annotations?: object } } };
}

function mostFrequent(objects: readonly object[]): readonly object[] {
  const groups = [...Map.groupBy(objects, (object) => JSON.stringify(object)).values()];
  return groups.toSorted((one, other) => other.length - one.length)[0] ?? [];
}

const image = `{{- define "holdfast.image" -}}
{{- $values := (index . 0).Values.image -}}
{{- $name := index . 1 -}}
{{- $digest := index $values.digests $name | required (printf "image.digests has no digest of %s." $name) -}}
{{ $values.repository }}/{{ $name }}@{{ $digest }}
{{- end -}}
`;

const onlyInNamespace = `{{- if ne .Release.Namespace "${namespace}" }}
{{- fail "Install Holdfast with --namespace ${namespace} --create-namespace --take-ownership." }}
{{- end }}
`;

const notes = `Holdfast {{ .Chart.AppVersion }} is installed. To see whether it is healthy:

  holdfast status

Before you uninstall the release, run "holdfast uninstall". "helm uninstall" alone takes the functions away, and leaves
their finalizers: what is deleted later would wait for ever. Helm keeps the namespace and the definitions of the kinds.
`;
