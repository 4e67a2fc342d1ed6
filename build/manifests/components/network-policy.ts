import { variableOf } from "../../../shared/settings.ts";
import { type ExternalSystem, urlSettingOf } from "../../../shared/system/system.ts";
import { type Declared, systemOf } from "../declared.ts";
import { everyFunction, kustomizationFile, type Patch } from "../kustomization.ts";
import { labelsOf, metadataOf, namespace, partOf, product } from "../metadata.ts";
import { settingsOfSchema } from "../settings.ts";
import { toFile, toYaml, wrap } from "../yaml.ts";

const withKnative = "knative/components/network-policy";
const withoutKnative = "knative/overlays/no-knative/network-policy";

/**
 * Which pods may reach the functions on the network, and what the functions may reach. What holds of all of them is
 * written by hand, in `policy.yaml`; which of them may reach which external system follows from what they declare.
 */
export function addNetworkPolicy(files: Map<string, string>, all: readonly Declared[]): void {
  const policies = policiesOf(all);
  const add = (folder: string, about: string) => {
    if (policies.length > 0) files.set(`${folder}/systems.yaml`, toFile(everyFunction, policies));
    const resources = ["policy.yaml", ...(policies.length > 0 ? ["systems.yaml"] : [])];
    files.set(`${folder}/kustomization.yaml`, kustomizationFile("Component", { resources }, about));
  };
  add(
    withKnative,
    "Which pods may reach the functions on the network, and what the functions may reach. Needs a network plugin " +
      "that enforces NetworkPolicy, and the namespaces of your Knative and of its network layer: see policy.yaml.",
  );
  add(
    withoutKnative,
    "Without Knative, only platform-source may reach the functions, and only the sweep platform-source. Needs a " +
      "network plugin that enforces NetworkPolicy.",
  );
}

/**
 * Who may reach the function that records Events about what it is sent: part of every installation. With Knative all
 * requests to it come through the activator, as its Service says, so that the network layer's namespace need not be
 * known. Without Knative, {@link onlyFromSource} names the sender instead.
 */
export function deadLetterPolicy(name: string): string {
  const { metadata, podSelector } = ofDeadLetters(name);
  const from = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "knative-serving" } } }];
  const spec = { podSelector, policyTypes: ["Ingress"], ingress: [{ from }] };
  const why =
    "Knative's activator, through which all requests come, and its autoscaler. A policy knows pods, not senders: " +
    "what reaches the gateway of Knative's network layer comes through the activator, too.";
  const policy = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata, spec };
  return toYaml(policy, [{ at: ["spec", "ingress", 0], text: wrap(why, 90) }]);
}

/** Has that policy admit the pods with these labels instead. */
export function onlyFromSource(name: string, source: string): Patch {
  const from = [{ podSelector: { matchLabels: labelsOf(source) } }];
  return {
    target: { group: "networking.k8s.io", kind: "NetworkPolicy", name: ofDeadLetters(name).metadata.name },
    patch: [{ op: "replace", path: "/spec/ingress/0/from", value: from }],
  };
}

const ofDeadLetters = (name: string) => ({
  metadata: metadataOf(name),
  podSelector: { matchLabels: labelsOf(name) },
});

/** A policy for each system and each external one that functions of it name, in the order of the functions. */
function policiesOf(functions: readonly Declared[]): readonly string[] {
  const uses = functions.flatMap((declared) =>
    Object.values(declared.systems ?? {}).map((external) => ({ declared, external })),
  );
  const same = Map.groupBy(uses, ({ declared, external }) => `${systemOf(declared)} ${external.name}`);
  return [...same.values()].flatMap(([first, ...others]) =>
    first
      ? [
          policyOf(
            first.external,
            [first, ...others].map(({ declared }) => declared),
          ),
        ]
      : [],
  );
}

function policyOf(
  external: ExternalSystem,
  functions: readonly [Declared, ...Declared[]] | readonly Declared[],
): string {
  const system = systemOf(functions[0] as Declared);
  const components = functions.map(({ name }) => labelsOf(name)["app.kubernetes.io/component"]);
  const home = namespaceOf(external);
  const to = home ? { to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": home } } }] } : {};
  const policy = {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: `${system}-to-${external.name}`, namespace, labels: { [partOf]: product } },
    spec: {
      podSelector: {
        matchLabels: { [partOf]: product, "app.kubernetes.io/name": system },
        matchExpressions: [{ key: "app.kubernetes.io/component", operator: "In", values: components }],
      },
      policyTypes: ["Egress"],
      egress: [{ ...to, ports: external.ports.map((port) => ({ port })) }],
    },
  };
  const named = [urlVariableOf(external), ...(external.namedBy ? [external.namedBy] : [])].join(" or ");
  const where = home
    ? `Patch this from your overlay where ${named} leads elsewhere than into namespace ${home}, or to another port.`
    : `Patch this from your overlay with an ipBlock of its addresses, and where ${named} has another port.`;
  return toYaml(policy, [{ at: ["spec", "egress", 0], text: wrap(`${external.doc} ${where}`, 90) }]);
}

const urlVariableOf = (system: ExternalSystem) => variableOf(urlSettingOf(system));

/** The namespace of the Service that the system's URL names by default; `undefined` where it names none. */
function namespaceOf(external: ExternalSystem): string | undefined {
  const url = settingsOfSchema(external.name, external.settings).find(
    ({ variable }) => variable === urlVariableOf(external),
  );
  return url && /^[^.]+\.([^.]+)\.svc(\.|$)/.exec(new URL(url.value).hostname)?.[1];
}
