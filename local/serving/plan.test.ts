import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { readService } from "./plan.ts";

const readPlan = (object: KubernetesObject) => readService(object).plan;

/** A Service whose revision template has `pod` beside its one container, which has `container` beside its image. */
function service(
  changes: { pod?: object; container?: object; annotations?: object; labels?: object; spec?: object } = {},
): KubernetesObject {
  return {
    apiVersion: "serving.knative.dev/v1",
    kind: "Service",
    metadata: { name: "release", namespace: "holdfast", uid: "1", resourceVersion: "1" },
    spec: {
      template: {
        metadata: {
          annotations: { "example.com/note": "kept out of it", ...changes.annotations },
          ...(changes.labels ? { labels: changes.labels } : {}),
        },
        spec: { ...changes.pod, containers: [{ image: "example.com/release", ...changes.container }] },
      },
      ...changes.spec,
    },
  };
}

test("what a Service leaves out has Knative's defaults", () => {
  expect(readPlan(service())).toEqual({
    namespace: "holdfast",
    service: "release",
    image: "example.com/release",
    labels: {},
    environment: {},
    configMaps: [],
    secrets: [],
    serviceAccount: "default",
    concurrency: 0,
    timeout: 300_000,
    scale: { min: 0, window: 60_000 },
  });
});

test("what a Service says is obeyed", () => {
  const plan = readPlan(
    service({
      pod: {
        containerConcurrency: 20,
        timeoutSeconds: 60,
        serviceAccountName: "release",
        volumes: [
          { name: "tmp", emptyDir: {} },
          { name: "login", secret: { secretName: "holdfast-salt" } },
        ],
      },
      container: {
        env: [{ name: "MODE", value: "strict" }, { name: "EMPTY" }],
        envFrom: [{ configMapRef: { name: "holdfast-volume", optional: true } }],
        volumeMounts: [{ name: "login", mountPath: "/etc/holdfast/salt", readOnly: true }],
        readinessProbe: { httpGet: { path: "/health/ready" } },
        ports: [{ containerPort: 8080 }],
        securityContext: { readOnlyRootFilesystem: true },
        resources: { requests: { cpu: "10m" } },
      },
      annotations: {
        "autoscaling.knative.dev/min-scale": "1",
        "autoscaling.knative.dev/max-scale": "3",
        "autoscaling.knative.dev/window": "1m30s",
      },
      labels: { app: "holdfast" },
      spec: { traffic: [{ latestRevision: true, percent: 100 }] },
    }),
  );
  expect(plan).toEqual({
    namespace: "holdfast",
    service: "release",
    image: "example.com/release",
    labels: { app: "holdfast" },
    environment: { MODE: "strict", EMPTY: "" },
    configMaps: [{ name: "holdfast-volume", optional: true }],
    secrets: [{ name: "holdfast-salt", optional: false, folder: "salt" }],
    serviceAccount: "release",
    concurrency: 20,
    timeout: 60_000,
    scale: { min: 1, window: 90_000 },
  });
});

test("a template may name its revision, and the traffic may be shared", () => {
  const template = { metadata: { name: "release-b" }, spec: { containers: [{ image: "b" }] } };
  const traffic = [{ revisionName: "release-a", percent: 100 }, { tag: "canary" }];
  expect(readService(service({ spec: { template, traffic } }))).toMatchObject({
    plan: { image: "b" },
    revision: "release-b",
    traffic: [
      { revisionName: "release-a", percent: 100 },
      { tag: "canary", percent: 0 },
    ],
  });
});

test("a function that takes no token gets none, and the authority of an API server without TLS is nothing", () => {
  const volumes = [{ name: "ca", configMap: { name: "kube-root-ca.crt" } }];
  expect(readPlan(service({ pod: { automountServiceAccountToken: false, volumes } }))).toMatchObject({
    hasNoToken: true,
    secrets: [],
  });
});

describe("what cannot be obeyed is refused by its name", () => {
  const refuses = (changes: object, named: string) => expect(() => readPlan(service(changes))).toThrow(named);
  test("a volume", () =>
    refuses({ pod: { volumes: [{ name: "table", configMap: { name: "table" } }] } }, "volumes[0]"));
  test("an environment from elsewhere", () =>
    refuses({ container: { envFrom: [{ secretRef: { name: "a" } }] } }, "containers[0].envFrom"));
  test("a variable from elsewhere", () =>
    refuses({ container: { env: [{ name: "A", valueFrom: {} }] } }, "env[0].valueFrom"));
  test("a command", () => refuses({ container: { command: ["sh"] } }, "containers[0].command"));
  test("h2c", () => refuses({ container: { ports: [{ name: "h2c", containerPort: 8080 }] } }, "ports[0].name"));
  test("a startup probe", () => refuses({ container: { startupProbe: {} } }, "containers[0].startupProbe"));
  test("a second container", () =>
    refuses({ pod: {}, spec: { template: { spec: { containers: [{ image: "a" }, { image: "b" }] } } } }, "containers"));
  test("an idle timeout", () => refuses({ pod: { idleTimeoutSeconds: 5 } }, "idleTimeoutSeconds"));
  test("a timeout above Knative's maximum", () => refuses({ pod: { timeoutSeconds: 601 } }, "timeoutSeconds"));
  test("half of the traffic", () =>
    refuses({ spec: { traffic: [{ revisionName: "release-00001", percent: 50 }] } }, "traffic"));
  test("a traffic target's field of the status", () =>
    refuses({ spec: { traffic: [{ percent: 100, tag: "a", url: "http://a" }] } }, "spec.traffic[0].url is not obeyed"));
  test("a revision's name that is not of the Service", () =>
    refuses(
      { spec: { template: { metadata: { name: "other-a" }, spec: { containers: [{ image: "a" }] } } } },
      "spec.template.metadata.name: does not begin with release-",
    ));
  test("another autoscaler", () =>
    refuses({ annotations: { "autoscaling.knative.dev/class": "hpa.autoscaling.knative.dev" } }, "class"));
  test("another target", () =>
    refuses({ annotations: { "autoscaling.knative.dev/target": "1" } }, '/target"] is not obeyed'));
  test("an annotation of the autoscaler that is not known", () =>
    refuses({ annotations: { "autoscaling.knative.dev/minScale": "1" } }, "minScale"));
  test("a window that Knative refuses", () =>
    refuses({ annotations: { "autoscaling.knative.dev/window": "5s" } }, "window"));
  test("a window that is no duration", () =>
    refuses({ annotations: { "autoscaling.knative.dev/window": "soon" } }, "window"));
  test("a count that is none", () =>
    refuses({ annotations: { "autoscaling.knative.dev/min-scale": "-1" } }, "min-scale"));

  test("all of them at once", () => {
    const two = service({ container: { command: ["sh"], args: ["-c"] }, pod: { dnsPolicy: "None" } });
    expect(() => readPlan(two)).toThrow(
      "Service holdfast/release: spec.template.spec.containers[0].command is not obeyed; " +
        "spec.template.spec.containers[0].args is not obeyed; spec.template.spec.dnsPolicy is not obeyed.",
    );
  });
});
