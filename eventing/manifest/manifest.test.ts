import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { defaultFeatures } from "../features.ts";
import { eventingKinds } from "../kinds.ts";
import { type EventingKind, readPlan } from "./read-plan.ts";
import { Unobeyable } from "./unobeyable.ts";

const sink = { ref: { apiVersion: "eventing.knative.dev/v1", kind: "Broker", name: "workloads" } };
const specs: Record<EventingKind, Record<string, unknown>> = {
  Broker: {},
  Trigger: { broker: "workloads", subscriber: { uri: "http://f" } },
  ApiServerSource: { resources: [{ apiVersion: "v1", kind: "Pod" }], sink },
  PingSource: { sink },
};

function make(kind: EventingKind, spec: Record<string, unknown>, metadata: object = {}): KubernetesObject {
  const apiVersion = eventingKinds.find((known) => known.kind === kind)?.apiVersion ?? "";
  return {
    apiVersion,
    kind,
    metadata: { name: "x", namespace: "shop", uid: "u", resourceVersion: "1", ...metadata },
    spec: { ...specs[kind], ...spec },
    status: { whatever: "the server wrote" },
  };
}

const read = (kind: EventingKind, spec: Record<string, unknown> = {}, metadata: object = {}, features = {}) =>
  readPlan(kind, make(kind, spec, metadata), { ...defaultFeatures, ...features });

describe("defaults", () => {
  test("of a Broker", () =>
    expect(read("Broker")).toMatchObject({ namespace: "shop", name: "x", async: false, delivery: undefined }));
  test("of an ApiServerSource", () =>
    expect(read("ApiServerSource")).toMatchObject({
      mode: "Reference",
      namespaceSelector: undefined,
      serviceAccount: "default",
      extensions: {},
      failFast: false,
    }));
  test("of a PingSource", () => expect(read("PingSource")).toMatchObject({ schedule: "* * * * *", timezone: "UTC" }));
  test("of a Trigger: everything passes", () => {
    const plan = readPlan("Trigger", make("Trigger", {}), defaultFeatures);
    expect(plan.filter({ type: "anything" })).toBe(true);
  });
});

describe("what is read", () => {
  test("filters stand over filter", () => {
    const spec = { filter: { attributes: { kind: "Pod" } }, filters: [{ exact: { kind: "Node" } }] };
    const { filter } = readPlan("Trigger", make("Trigger", spec), defaultFeatures);
    expect([filter({ kind: "Pod" }), filter({ kind: "Node" })]).toEqual([false, true]);
  });
  test("an empty list of filters does not", () => {
    const spec = { filter: { attributes: { kind: "Pod" } }, filters: [] };
    const { filter } = readPlan("Trigger", make("Trigger", spec), defaultFeatures);
    expect([filter({ kind: "Pod" }), filter({ kind: "Node" })]).toEqual([true, false]);
  });
  test("delivery in milliseconds", () => {
    const delivery = {
      retry: 5,
      backoffPolicy: "exponential",
      backoffDelay: "PT0.5S",
      timeout: "PT1M",
      format: "json",
    };
    expect(read("Trigger", { delivery })).toMatchObject({
      delivery: { retry: 5, backoffPolicy: "exponential", backoffDelay: 500, timeout: 60_000, format: "json" },
    });
  });
  test.each([
    ["true", true],
    ["1", true],
    ["false", false],
    ["yes", false],
  ])("the asynchronous handler is %s: %s", (value, async) =>
    expect(read("Broker", {}, { annotations: { "messaging.knative.dev/async-handler": value } })).toMatchObject({
      async,
    }),
  );
  test("an empty namespace selector selects all, none the own namespace", () => {
    expect(read("ApiServerSource", { namespaceSelector: {} })).toMatchObject({ namespaceSelector: "" });
    const matchExpressions = [
      { key: "a", operator: "Exists" },
      { key: "b", operator: "DoesNotExist" },
      { key: "c", operator: "NotIn", values: ["x", "y"] },
    ];
    expect(read("ApiServerSource", { namespaceSelector: { matchExpressions } })).toMatchObject({
      namespaceSelector: "a,!b,c notin (x,y)",
    });
  });
  test("what people and other programs annotate", () =>
    expect(
      read(
        "Trigger",
        {},
        {
          annotations: {
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "eventing.knative.dev/creator": "me",
          },
        },
      ),
    ).toBeDefined());
  test("base64 data", () => expect(read("PingSource", { dataBase64: "e30=" })).toMatchObject({ data: "{}" }));
  test("what a flag allows", () => {
    expect(read("Trigger", { delivery: { retryAfterMax: "PT5S" } }, {}, { retryAfter: true })).toMatchObject({
      delivery: { retryAfterMax: 5000 },
    });
    expect(
      read("ApiServerSource", { filters: [{ exact: { kind: "Pod" } }] }, {}, { sourceFilters: true }),
    ).toBeDefined();
  });
});

describe("what is refused, by name", () => {
  const ref = { apiVersion: "serving.knative.dev/v1", kind: "Service", name: "f" };
  test.each<[EventingKind, Record<string, unknown>, string]>([
    ["Broker", { config: { apiVersion: "v1", kind: "ConfigMap", name: "kafka-broker-config" } }, "spec.config.name"],
    ["Broker", { delivery: { retry: -1 } }, "spec.delivery.retry"],
    ["Broker", { channel: {} }, "spec.channel is not obeyed"],
    ["Trigger", { broker: undefined }, "spec.broker"],
    ["Trigger", { broker: undefined, brokerRef: { name: "x" } }, "spec.brokerRef is not obeyed"],
    ["Trigger", { subscriber: undefined }, "spec.subscriber"],
    ["Trigger", { subscriber: {} }, "spec.subscriber: needs ref or uri"],
    ["Trigger", { subscriber: { uri: "/path" } }, "spec.subscriber: a uri without ref must be absolute"],
    ["Trigger", { subscriber: { ref, uri: "http://f" } }, "spec.subscriber: a uri beside ref must be relative"],
    ["Trigger", { subscriber: { ref: { ...ref, address: "https" } } }, "spec.subscriber.ref.address is not obeyed"],
    ["Trigger", { subscriber: { ref, audience: "me" } }, "spec.subscriber.audience is not obeyed"],
    ["Trigger", { subscriber: { ref, CACerts: "pem" } }, "spec.subscriber.CACerts is not obeyed"],
    ["Trigger", { delivry: {} }, "spec.delivry is not obeyed"],
    ["Trigger", { delivery: { retries: 3 } }, "spec.delivery.retries is not obeyed"],
    ["Trigger", { delivery: { backoffMax: "PT1M" } }, "spec.delivery.backoffMax is not obeyed"],
    ["Trigger", { delivery: { retry: 1.5 } }, "spec.delivery.retry"],
    ["Trigger", { delivery: { retry: 2 ** 31 } }, "spec.delivery.retry"],
    ["Trigger", { delivery: { backoffPolicy: "fibonacci" } }, "spec.delivery.backoffPolicy"],
    ["Trigger", { delivery: { backoffDelay: "1s" } }, 'spec.delivery.backoffDelay: "1s" is no ISO 8601 duration'],
    ["Trigger", { delivery: { timeout: "PT0S" } }, "spec.delivery.timeout: must be more than zero"],
    [
      "Trigger",
      { delivery: { retryAfterMax: "PT5S" } },
      "spec.delivery.retryAfterMax: needs the feature delivery-retryafter",
    ],
    ["Trigger", { delivery: { format: "xml" } }, "spec.delivery.format"],
    ["Trigger", { filter: { attributes: { Kind: "Pod" } } }, "spec.filter.attributes.Kind"],
    ["Trigger", { filter: { attributes: { "1kind": "Pod" } } }, "spec.filter.attributes"],
    ["Trigger", { filter: { attributes: { retry: 1 } } }, "spec.filter.attributes.retry"],
    [
      "Trigger",
      { filters: [{ exact: { kind: "Pod" }, prefix: { type: "a" } }] },
      "spec.filters[0]: needs exactly one dialect",
    ],
    ["Trigger", { filters: [{}] }, "spec.filters[0]: needs exactly one dialect"],
    ["Trigger", { filters: [{ exact: {} }] }, "spec.filters[0].exact: names no attribute"],
    ["Trigger", { filters: [{ exact: { namespace: "" } }] }, "spec.filters[0].exact.namespace: must not be empty"],
    ["Trigger", { filters: [{ regex: { kind: "P.*" } }] }, "spec.filters[0].regex is not obeyed"],
    ["Trigger", { filters: [{ any: [{ not: { suffix: { "a-b": "x" } } }] }] }, "spec.filters[0].any[0].not.suffix"],
    ["Trigger", { filters: [{ all: [] }] }, "spec.filters[0].all"],
    [
      "Trigger",
      { filters: [{ cesql: "kind = 'Pod'" }] },
      "spec.filters[0].cesql: this stand-in for Knative evaluates no",
    ],
    ["ApiServerSource", { resources: [] }, "spec.resources"],
    ["ApiServerSource", { resources: [{ apiVersion: "v1" }] }, "spec.resources[0].kind"],
    [
      "ApiServerSource",
      { resources: [{ apiVersion: "a/b/c", kind: "X" }] },
      "spec.resources[0].apiVersion: is no apiVersion",
    ],
    [
      "ApiServerSource",
      { resources: [{ apiVersion: "v1", kind: "X", fieldSelector: "a" }] },
      "spec.resources[0].fieldSelector is not obeyed",
    ],
    ["ApiServerSource", { eventMode: "Resource" }, "spec.eventMode is not obeyed"],
    ["ApiServerSource", { mode: "Ref" }, "spec.mode"],
    ["ApiServerSource", { owner: { kind: "Deployment" } }, "spec.owner.apiVersion"],
    ["ApiServerSource", { sink: undefined }, "spec.sink"],
    [
      "ApiServerSource",
      { filters: [{ exact: { kind: "Pod" } }] },
      "spec.filters: needs the feature new-apiserversource-filters",
    ],
    ["ApiServerSource", { ceOverrides: { extensions: { "a-b": "x" } } }, "spec.ceOverrides.extensions"],
    [
      "ApiServerSource",
      { namespaceSelector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      "spec.namespaceSelector.matchExpressions[0]: In and NotIn need values",
    ],
    ["PingSource", { schedule: "@every 5s" }, "spec.schedule: @every is not supported"],
    ["PingSource", { timezone: "Nowhere" }, "no time zone"],
    ["PingSource", { data: "a", dataBase64: "YQ==" }, "spec.dataBase64: stands beside data"],
    ["PingSource", { dataBase64: "!" }, "spec.dataBase64: is not the base64"],
    ["PingSource", { dataBase64: "/w==" }, "spec.dataBase64: is not the base64 of UTF-8 text"],
    ["PingSource", { data: "[1]", contentType: "application/json" }, "spec.data: is no JSON object"],
  ])("%s %j", (kind, spec, message) => {
    expect(() => read(kind, spec)).toThrow(Unobeyable);
    expect(() => read(kind, spec)).toThrow(`${kind} shop/x: `);
    expect(() => read(kind, spec)).toThrow(message);
  });

  test.each<[EventingKind, Record<string, string>, string]>([
    ["Broker", { "eventing.knative.dev/broker.class": "Kafka" }, "only MTChannelBasedBroker is obeyed"],
    ["Broker", { "eventing.knative.dev/other": "x" }, "this annotation is not obeyed"],
    [
      "Trigger",
      { "knative.dev/dependency": "{}" },
      'metadata.annotations["knative.dev/dependency"]: this annotation is not obeyed',
    ],
    ["Trigger", { "kafka.eventing.knative.dev/delivery.order": "ordered" }, "this annotation is not obeyed"],
  ])("%s annotated %j", (kind, annotations, message) => expect(() => read(kind, {}, { annotations })).toThrow(message));

  test("every problem at once", () => {
    const spec = { delivry: {}, delivery: { retry: -1 }, filters: [{}] };
    const message = (() => {
      try {
        read("Trigger", spec);
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    })();
    for (const part of ["spec.delivry", "spec.delivery.retry", "spec.filters[0]"]) expect(message).toContain(part);
  });
});
