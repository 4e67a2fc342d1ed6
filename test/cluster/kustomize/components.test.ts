import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultFeatures } from "../../../eventing/features.ts";
import { readApiServerSource } from "../../../eventing/manifest/api-server-source.ts";
import { readTrigger } from "../../../eventing/manifest/trigger.ts";
import { readOidcSettings } from "../../../shared/serve/oidc/settings.ts";
import { isSender } from "../../../shared/serve/oidc/verify-token.ts";
import { accountOf } from "../../harness/trigger-account.ts";
import { root, standard } from "../../manifests/kustomization.ts";
import { faultsOf, ofKind } from "../../manifests/schemas/schemas.ts";
import { kubectl } from "../kubectl.ts";
import { build, buildOverlay, environmentOf, eventOf, namesOf, sweepRows } from "./build.ts";

describe.skipIf(!kubectl)("the components", () => {
  describe("oidc", () => {
    const checked = () =>
      buildOverlay({ components: ["knative/pvc-protection/pod-updates", "knative/components/oidc"] });

    test("makes each function check for whom a token is meant, and each sender mean that function", () => {
      const objects = checked();
      const audienceOf = (service: string) => environmentOf(service, objects).OIDC_AUDIENCE;
      const services = namesOf("Service", objects);
      expect(new Set(services.map(audienceOf)).size).toBe(services.length);
      const triggers = ofKind("Trigger", objects);
      expect(triggers.map(({ metadata }) => metadata.name)).toContain("pvc-protection-release-workloads-pod-updates");
      for (const { spec } of triggers) {
        expect(spec.subscriber.audience).toBe(audienceOf(spec.subscriber.ref?.name ?? ""));
        expect(spec.delivery.deadLetterSink.audience).toBe(audienceOf(spec.delivery.deadLetterSink.ref.name));
      }
      const pings = ofKind("PingSource", objects);
      expect(pings.map(({ spec }) => spec.sink.audience)).toEqual([audienceOf("platform-sweep")]);
    });

    test("sets what the kit understands, and takes the accounts that Knative makes for its Triggers alone", () => {
      const objects = checked();
      const triggers = ofKind("Trigger", objects);
      const senders = [
        ...triggers.map(({ metadata, spec }) => ({ account: accountOf(metadata.name), to: spec.subscriber.ref?.name })),
        { account: "sweep-oidc-sources.knative.dev-pingsource", to: "platform-sweep" },
      ];
      const others = ["default", "platform", ...ofKind("ServiceAccount", objects).map(({ metadata }) => metadata.name)];
      for (const service of namesOf("Service", objects)) {
        const settings = readOidcSettings(environmentOf(service, objects));
        const takes = (account: string) =>
          isSender(`system:serviceaccount:holdfast:${account}`, settings?.senders ?? []);
        for (const { account, to } of senders) {
          // Brokers dead-letter an event in the name of its Trigger.
          const isOwn = service === "platform-dead-letter" ? to !== "platform-sweep" : to === service;
          expect(takes(account), `${account} to ${service}`).toBe(isOwn);
        }
        expect(others.filter(takes), service).toEqual([]);
      }
      for (const { metadata } of triggers) expect(metadata.namespace).toBe("holdfast");
    });

    test.each([
      // What Knative's own code answers, run by hand.
      ["pvc-protection-warn-storage", "pvc-protection-warn-storage-oidc-eventing.knative.dev-trigger"],
      ["eviction-disable-compute-nodes", "eviction-disable-compute-nodesac45507d6f56f409d91b5d808c1bdba8"],
      ["pvc-protection-release-storage", "pvc-protection-release-storagea2efc50bb6627992e502849096c084ca"],
      ["pvc-protection-release-workloads", "pvc-protection-release-workload8b7de7336d8750eb37127218af11a8b3"],
    ])("knows the account that Knative makes for the Trigger %s", (trigger, account) => {
      expect(accountOf(trigger)).toBe(account);
    });

    test("lets every function, and no other account, read the keys", () => {
      const objects = checked();
      const binding = ofKind("ClusterRoleBinding", objects).find(({ roleRef }) => roleRef.name.startsWith("system:"));
      expect(binding?.subjects.map(({ name }) => name).sort()).toEqual(namesOf("Service", objects));
    });

    test("gives the sweep a token for each broker that its table names, where it looks for it", () => {
      const objects = checked();
      const sweep = ofKind("Service", objects).find(({ metadata }) => metadata.name === "platform-sweep")?.spec.template
        .spec;
      const { TOKENS: folder } = environmentOf("platform-sweep", objects);
      expect(sweep?.containers[0].volumeMounts?.map(({ mountPath }) => mountPath)).toEqual([folder]);
      const tokens = (sweep?.volumes ?? []).flatMap((volume) =>
        "projected" in volume ? volume.projected.sources.map(({ serviceAccountToken }) => serviceAccountToken) : [],
      );
      for (const { sink } of sweepRows(objects)) {
        const path = new URL(sink).pathname.slice(1);
        expect(tokens).toContainEqual(
          expect.objectContaining({ path, audience: `eventing.knative.dev/broker/${path}` }),
        );
      }
    });
  });

  test("kafka moves brokers, sources and the sweep's events", () => {
    const objects = build("knative/overlays/kafka");
    const classes = ofKind("Broker", objects).map(({ metadata }) => Object.values(metadata.annotations));
    expect(new Set(classes.flat())).toEqual(new Set(["Kafka"]));
    for (const { sink } of sweepRows(objects)) expect(sink).toMatch(/^http:\/\/kafka-broker-ingress\./);
    for (const { spec } of ofKind("ApiServerSource", objects)) expect(spec.sink.ref.kind).toBe("EventTransform");
    for (const { metadata } of ofKind("Trigger", objects))
      expect(metadata.annotations?.["kafka.eventing.knative.dev/delivery.order"]).toBe("ordered");
  });

  const filters = "knative/components/source-filters";
  test.each([undefined, ...globSync("*/", { cwd: join(root, filters) })])(
    "filtered sources send all that a Trigger lets through, and nothing else (with the option %s)",
    (option) => {
      const triggersOf = globSync(`knative/*/${option}/triggers.yaml`, { cwd: root }).map(dirname);
      // An option, or a system that is not installed by default.
      const systems = globSync([`knative/access/${option}`, `knative/${option}`], { cwd: root });
      const more = option ? [...triggersOf, ...systems, filters, `${filters}/${option}`] : [filters];
      const objects = buildOverlay({ components: more });
      const features = { ...defaultFeatures, sourceFilters: true };
      const sources = objects
        // A system's own sources send all of its kinds.
        .filter(({ kind, spec }) => kind === "ApiServerSource" && "filters" in (spec as object))
        .map((source) => readApiServerSource(source, features));
      expect(sources.length).toBeGreaterThan(2);
      const triggers = objects
        .filter(({ kind }) => kind === "Trigger")
        .map((trigger) => readTrigger(trigger, features));
      let passed = 0;
      for (const { resources, filter } of sources)
        for (const { apiVersion, kind } of resources)
          for (const change of ["add", "update", "delete"]) {
            const event = eventOf(`dev.knative.apiserver.resource.${change}`, apiVersion, kind);
            const wanted = triggers.some((trigger) => trigger.filter(event));
            expect([change, kind, filter(event)]).toEqual([change, kind, wanted]);
            passed += Number(wanted);
          }
      expect(passed).toBeGreaterThan(1);
    },
  );

  test.each([
    ["knative/components/network-policy", standard],
    ["knative/overlays/no-knative/network-policy", "knative/overlays/no-knative"],
  ])("%s covers the pods of every function", (component, install) => {
    const objects = buildOverlay({ resources: [install], components: [component] });
    expect(objects.flatMap(faultsOf)).toEqual([]);
    const covers = (direction: "Ingress" | "Egress", labels: Readonly<Record<string, unknown>>) =>
      ofKind("NetworkPolicy", objects).some(
        ({ spec }) =>
          spec.policyTypes.includes(direction) &&
          // One that selects single functions covers no other.
          !spec.podSelector.matchExpressions &&
          Object.entries(spec.podSelector.matchLabels).every(([label, value]) => labels[label] === value),
      );
    const pods = [...(install === standard ? ofKind("Service", objects) : ofKind("Deployment", objects))];
    expect(pods.length).toBeGreaterThan(4);
    for (const { spec } of pods)
      for (const direction of ["Ingress", "Egress"] as const)
        expect(covers(direction, spec.template.metadata.labels)).toBe(true);
  });
});
