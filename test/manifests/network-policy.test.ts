import { describe, expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { labelsOf } from "../../build/manifests/metadata.ts";
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

test("a network policy opens the port of each system's default URL", () => {
  const systems = functions.flatMap(({ systems = {} }) => Object.values(systems));
  expect(systems.length).toBeGreaterThan(2);
  for (const { settings, ports, ...system } of systems) {
    const url = settings.parse({})[urlSettingOf(system)];
    expect(ports).toContain(Number(new URL(String(url)).port));
  }
});
