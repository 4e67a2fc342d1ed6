import { describe, expect, test } from "vitest";
import { pod, pods, testServer } from "../fixtures/test-server.ts";

test("defaults of a pod", async () => {
  const { ask } = testServer();
  const spec = {
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "data" } },
      { name: "scratch" },
      { name: "config", configMap: { name: "config" } },
      { name: "own", ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"] } } } },
    ],
    containers: [
      {
        name: "main",
        image: "registry.dev:5000/app",
        ports: [{ containerPort: 80 }],
        readinessProbe: { httpGet: { port: 80 } },
        resources: { limits: { memory: "1Gi" } },
      },
    ],
  };
  const { json } = await ask("POST", pods, pod("p", spec));
  expect(json.metadata.generation).toBe(1);
  expect(json.status).toEqual({ phase: "Pending", qosClass: "Burstable" });
  expect(json.spec).toEqual({
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "data" } },
      { name: "scratch", emptyDir: {} },
      { name: "config", configMap: { name: "config", defaultMode: 420 } },
      {
        name: "own",
        ephemeral: {
          volumeClaimTemplate: { metadata: {}, spec: { accessModes: ["ReadWriteOnce"], volumeMode: "Filesystem" } },
        },
      },
    ],
    containers: [
      {
        name: "main",
        image: "registry.dev:5000/app",
        imagePullPolicy: "Always",
        ports: [{ containerPort: 80, protocol: "TCP" }],
        readinessProbe: {
          httpGet: { port: 80, path: "/", scheme: "HTTP" },
          failureThreshold: 3,
          periodSeconds: 10,
          successThreshold: 1,
          timeoutSeconds: 1,
        },
        resources: { limits: { memory: "1Gi" }, requests: { memory: "1Gi" } },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
      },
    ],
    dnsPolicy: "ClusterFirst",
    enableServiceLinks: true,
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    securityContext: {},
    serviceAccount: "default",
    serviceAccountName: "default",
    terminationGracePeriodSeconds: 30,
    tolerations: ["not-ready", "unreachable"].map((state) => ({
      key: `node.kubernetes.io/${state}`,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    })),
  });
});

test.each([
  [{}, "BestEffort"],
  [{ requests: { cpu: "1" } }, "Burstable"],
  [{ limits: { cpu: "1", memory: "1Gi" } }, "Guaranteed"],
])("resources %j are %s", async (resources, qosClass) => {
  const { ask } = testServer();
  const made = await ask("POST", pods, pod("p", { containers: [{ name: "main", image: "app:1", resources }] }));
  expect(made.json.status.qosClass).toBe(qosClass);
});

describe("what may change", () => {
  async function withPod(spec: object = {}) {
    const api = testServer();
    await api.ask("POST", pods, pod("p", spec));
    const change = async (patch: object) => {
      const headers = { "content-type": "application/strategic-merge-patch+json" };
      const { status, json } = await api.ask("PATCH", `${pods}/p`, { spec: patch }, headers);
      return [status, json.metadata.generation ?? json.details.causes[0].field];
    };
    return { ...api, change };
  }

  test.each([
    [{ containers: [{ name: "main", image: "app:2" }] }, [200, 2]],
    [{ activeDeadlineSeconds: 5 }, [200, 2]],
    [{ tolerations: [{ key: "a", operator: "Exists" }] }, [200, 2]],
    [{ nodeName: "n" }, [422, "spec"]],
    [{ containers: [{ name: "main", resources: { requests: { cpu: "1" } } }] }, [422, "spec"]],
    [{ volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] }, [422, "spec"]],
    [{ schedulingGates: [{ name: "a.dev/b" }] }, [422, "spec.schedulingGates[0].name"]],
  ])("%j: %j", async (patch, outcome) => {
    expect(await (await withPod()).change(patch)).toEqual(outcome);
  });

  test("scheduling gates may go, and nothing is bound before", async () => {
    const { ask, change } = await withPod({ schedulingGates: [{ name: "a.dev/b" }] });
    const bind = async () =>
      (await ask("POST", `${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "n" } })).status;
    const condition = (await ask("GET", `${pods}/p`)).json.status.conditions[0];
    expect([condition.type, condition.reason, await bind()]).toEqual(["PodScheduled", "SchedulingGated", 409]);
    expect([await change({ schedulingGates: null }), await bind()]).toEqual([[200, 2], 201]);
  });
});

test("a status update leaves the owners alone", async () => {
  const { ask, merge } = testServer();
  const owners = [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u" }];
  await ask("POST", pods, pod("p", {}, { ownerReferences: owners }));
  const { json } = await merge(`${pods}/p/status`, {
    metadata: { ownerReferences: null },
    status: { phase: "Running" },
  });
  expect([json.metadata.ownerReferences, json.status]).toEqual([owners, { phase: "Running", qosClass: "BestEffort" }]);
});

test("a pod with a container or a restart policy that cannot be", async () => {
  const { ask } = testServer();
  const spec = { containers: [{ name: "c c", image: "app:1" }], restartPolicy: "Sometimes" };
  const { json } = await ask("POST", pods, pod("p", spec));
  expect(json.details.causes).toMatchObject([
    { reason: "FieldValueInvalid", field: "spec.containers[0].name" },
    {
      reason: "FieldValueNotSupported",
      field: "spec.restartPolicy",
      message: 'Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    },
  ]);
});

test.each(["log", "exec", "attach", "portforward", "proxy"])("%s is refused with the reason", async (subresource) => {
  const { ask } = testServer();
  await ask("POST", pods, pod("p"));
  const { status, json } = await ask("GET", `${pods}/p/${subresource}?command=ls`);
  expect([status, json.reason, json.message]).toEqual([
    501,
    "NotImplemented",
    `The laptop edition's API server does not implement the subresource ${subresource} of pods, ` +
      "because no containers run here.",
  ]);
  expect((await ask("GET", `${pods}/p/nothing`)).status).toBe(404);
});

test("a pod without containers, and containers without a name or an image", async () => {
  const { ask } = testServer();
  const causes = async (containers: object[]) =>
    (await ask("POST", pods, pod("p", { containers }))).json.details.causes.map(
      ({ field, message }: Record<string, string>) => `${field}: ${message}`,
    );
  expect(await causes([])).toEqual(["spec.containers: Required value"]);
  expect(await causes([{}])).toEqual([
    "spec.containers[0].name: Required value",
    "spec.containers[0].image: Required value",
  ]);
});
