import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readKustomization, readTogether } from "./kustomization.ts";
import { identityOf } from "./references.ts";
import { ofKind } from "./schemas/schemas.ts";

// Components that change the default must change what optional systems bring besides, too: a patch whose target is not
// there is passed over.

const of = (component: string) => readKustomization(`knative/components/${component}`);
const standard = readKustomization("knative/overlays/default").objects;

/** The exact filters in a Trigger's filters, or in a source's. */
const exacts = (value: unknown): Record<string, string>[] => {
  if (typeof value !== "object" || value === null) return [];
  const { exact, ...rest } = value as { exact?: Record<string, string> };
  return [...(exact ? [exact] : []), ...Object.values(rest).flatMap(exacts)];
};

const systems = ["volume", "satellite", "eviction"];

test("all of them may be installed together: no two bring the same object, which kustomize refuses", () => {
  const components = systems.flatMap((system) => [`knative/access/${system}`, `knative/${system}`]);
  const identities = readTogether(["knative/overlays/default", ...components]).map(identityOf);
  expect(identities.filter((identity, index) => identities.indexOf(identity) !== index)).toEqual([]);
});

describe.each(systems)("the overlay %s", (system) => {
  const { objects } = readKustomization(`knative/overlays/${system}`);

  test("with kafka: no event of the sweep goes to a broker that is not there", () => {
    const tables = ofKind("ConfigMap", objects).filter(({ data }) => data["table.yaml"]?.includes("sink:"));
    expect(tables.map(({ metadata }) => metadata.name)).toContain(`holdfast-sweep-${system}`);
    const { patches } = of("kafka");
    for (const { metadata } of tables) {
      const patch = patches.find(({ target }) => target.kind === "ConfigMap" && target.name === metadata.name);
      expect(patch?.patch).toContain("//kafka-broker-ingress.");
      expect(patch?.patch).not.toContain("//broker-ingress.");
    }
  });

  test(
    "with oidc: every function checks who sends, every Trigger signs in, " +
      "and the sweep has a token for every broker",
    () => {
      const { patches } = of("oidc");
      const text = (kind: string, name: string) =>
        patches.flatMap(({ target, patch }) =>
          target.kind === kind && (target.name ?? target.labelSelector) === name ? [patch] : [],
        );
      for (const { metadata } of ofKind("Service", objects))
        expect(text("Service", metadata.name).join(), metadata.name).toContain("OIDC_AUDIENCE");
      for (const { metadata } of ofKind("Trigger", objects)) {
        const labels: Readonly<Record<string, string | undefined>> = metadata.labels ?? {};
        const selector = ["name", "component"].map(
          (key) => `app.kubernetes.io/${key}=${labels[`app.kubernetes.io/${key}`]}`,
        );
        expect(text("Trigger", selector.join()).join(), metadata.name).toContain(
          "/spec/delivery/deadLetterSink/audience",
        );
      }
      const [binding] = ofKind("ClusterRoleBinding", of(`oidc/${system}`).objects);
      const accounts = ofKind("Service", objects).map(({ spec }) => spec.template.spec.serviceAccountName);
      expect(binding?.subjects.map(({ name }) => name)).toEqual(
        accounts.filter((name) => name.startsWith(`${system}-`)),
      );
      for (const { metadata } of ofKind("Broker", objects))
        expect(text("Service", "platform-sweep").join()).toContain(`broker/holdfast/${metadata.name}`);
    },
  );

  test("with source-filters: what triggers a function of it passes the sources of the default", () => {
    const patches = [...of("source-filters").patches, ...of(`source-filters/${system}`).patches];
    const filtered = new Set(ofKind("ApiServerSource", standard).map(({ metadata }) => metadata.name));
    const sources = ofKind("ApiServerSource", objects).filter(({ metadata }) => filtered.has(metadata.name));
    const passing = new Map(
      sources.map(({ metadata, spec }) => [
        metadata.name,
        {
          kinds: spec.resources.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`),
          filters: patches.flatMap(({ target, patch }) => (target.name === metadata.name ? exacts(parse(patch)) : [])),
        },
      ]),
    );
    const wanted = ofKind("Trigger", objects).flatMap(({ spec }) =>
      exacts(spec.filters).filter(({ type }) => type?.startsWith("dev.knative.apiserver.")),
    );
    expect(wanted.length).toBeGreaterThan(5);
    for (const filter of wanted)
      for (const { kinds, filters } of passing.values())
        if (kinds.includes(`${filter.apiversion}/${filter.kind}`)) expect(filters).toContainEqual(filter);
  });
});
