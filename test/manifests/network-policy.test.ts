import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { labelsOf } from "../../build/manifests/metadata.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { urlSettingOf } from "../../shared/system/system.ts";
import { readKustomization, root } from "./kustomization.ts";
import { faultsOf, ofKind } from "./schemas/schemas.ts";

// Policies add up: a pod may send what any policy that selects it lets through, and nothing else once one does. What a
// network plugin makes of them is not shown here.

/** The components, each with where the sweep finds the brokers. */
const components = [
  ["knative/components/network-policy", "8080/TCP in knative-eventing"],
  ["knative/overlays/no-knative/network-policy", "8080/TCP in its own namespace"],
] as const;
const functions = await loadDeclared(root);

type Labels = Readonly<Record<string, string | undefined>>;
type Policies = ReturnType<typeof ofKind<"NetworkPolicy">>;
type Selector = Policies[number]["spec"]["podSelector"];

const selects = ({ matchLabels, matchExpressions = [] }: Selector, labels: Labels) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ""));

/** Whom a function may reach: `53/UDP in kube-system`, `443/TCP anywhere`. */
const reachedBy = (name: string, policies: Policies) =>
  policies
    .filter(({ spec }) => spec.policyTypes.includes("Egress") && selects(spec.podSelector, labelsOf(name)))
    .flatMap(({ spec }) => spec.egress ?? [])
    .flatMap(({ to, ports }) => {
      const places = to?.map(({ namespaceSelector }) => Object.values(namespaceSelector ?? {}).flatMap(Object.values));
      const where = places ? `in ${places.flat().join() || "its own namespace"}` : "anywhere";
      return ports.map(({ port, protocol = "TCP" }) => `${port}/${protocol} ${where}`);
    });

const everybody = ["53/UDP in kube-system", "53/TCP in kube-system", "443/TCP anywhere", "6443/TCP anywhere"];
const more: Readonly<Record<string, readonly string[]>> = {
  salt: ["4507/TCP anywhere"],
  linstor: ["3370/TCP in piraeus-datastore", "3371/TCP in piraeus-datastore"],
  openstack: [443, 5000, 6385, 8774, 9696].map((port) => `${port}/TCP in yaook`),
};

describe.each(components)("the component %s", (component, broker) => {
  const { objects } = readKustomization(component);
  const policies = ofKind("NetworkPolicy", objects);

  test("is made of policies that a server takes", () => {
    expect(objects.flatMap(faultsOf)).toEqual([]);
    expect(new Set(policies.map(({ metadata }) => metadata.name)).size).toBe(policies.length);
  });

  test.each(functions.map((declared) => [declared.name, declared] as const))(
    "lets %s reach names, the API server, what it declares, and nothing else",
    (name, { systems = {} }) => {
      const declared = Object.values(systems).flatMap((system) => more[system.name] ?? [`what ${system.name} needs`]);
      const brokers = name === "platform/sweep" ? [broker] : [];
      expect(reachedBy(name, policies).sort()).toEqual([...everybody, ...declared, ...brokers].sort());
    },
  );
});

test.each(components)(
  "the example egress-addresses names addresses for all that %s opens to every one",
  (component) => {
    const policies = ofKind("NetworkPolicy", readKustomization(component).objects);
    const isOpen = policies.flatMap(({ metadata, spec }) =>
      (spec.egress ?? []).flatMap(({ to }, index) => (to ? [] : [`${metadata.name} /spec/egress/${index}/to`])),
    );
    const { patches } = readKustomization("knative/examples/egress-addresses");
    const named = patches.flatMap(({ target, patch }) =>
      (parse(patch) as { path: string; value: object[] }[]).map(({ path, value }) => {
        expect(value).toEqual(value.map(() => ({ ipBlock: { cidr: expect.stringMatching(/^192\.0\.2\.\d+\/32$/) } })));
        return `${target.name} ${path}`;
      }),
    );
    expect(isOpen.length).toBeGreaterThan(1);
    expect(named.sort()).toEqual(isOpen.sort());
  },
);

test("a network policy opens the port of each system's default URL", () => {
  const systems = functions.flatMap(({ systems = {} }) => Object.values(systems));
  expect(systems.length).toBeGreaterThan(2);
  for (const { settings, ports, ...system } of systems) {
    const url = settings.parse({})[urlSettingOf(system)];
    expect(ports).toContain(Number(new URL(String(url)).port));
  }
});

describe("the default", () => {
  const deadLetters = labelsOf("platform/dead-letter");
  /** Whom the policies let in to dead-letter's pods. */
  const admitted = (objects: readonly KubernetesObject[]) =>
    ofKind("NetworkPolicy", objects)
      .filter(({ spec }) => spec.policyTypes.includes("Ingress") && selects(spec.podSelector, deadLetters))
      .flatMap(({ spec }) => spec.ingress ?? [])
      .flatMap(({ from }) => from);

  test("lets Knative's own namespace alone reach dead-letter, which records Events about what it is sent", () => {
    const { objects } = readKustomization("knative/overlays/default");
    const serving = { matchLabels: { "kubernetes.io/metadata.name": "knative-serving" } };
    expect(admitted(objects)).toEqual([{ namespaceSelector: serving }]);
    // Requests would come past the activator, straight from the network layer.
    const service = ofKind("Service", objects).find(({ metadata }) => metadata.name === "platform-dead-letter");
    expect(service?.spec.template.metadata.annotations).toMatchObject({
      "autoscaling.knative.dev/target-burst-capacity": "-1",
    });
  });

  test("selects no other function's pods, which record no Event about what they are sent", () => {
    const policies = ofKind("NetworkPolicy", readKustomization("knative/overlays/default").objects);
    const others = functions.filter(({ name }) => name !== "platform/dead-letter");
    expect(others.length).toBeGreaterThan(5);
    for (const { name } of others)
      expect(policies.filter(({ spec }) => selects(spec.podSelector, labelsOf(name)))).toEqual([]);
  });

  test("lets platform-source alone reach dead-letter where there is no Knative", () => {
    const { patches } = readKustomization("knative/overlays/no-knative");
    const changed = patches.filter(({ target }) => target?.kind === "NetworkPolicy");
    expect(changed).toHaveLength(1);
    expect(changed[0]?.target).toMatchObject({ name: "platform-dead-letter" });
    expect(parse(changed[0]?.patch ?? "")).toEqual([
      {
        op: "replace",
        path: "/spec/ingress/0/from",
        value: [{ podSelector: { matchLabels: labelsOf("platform/source") } }],
      },
    ]);
  });
});
