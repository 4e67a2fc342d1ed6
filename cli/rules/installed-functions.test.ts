import { expect, test } from "vitest";
import type { Client } from "../../shared/kubernetes/client.ts";
import { variablesOf } from "./installed-functions.ts";

const metadata = { namespace: "holdfast", name: "toy", uid: "1", resourceVersion: "1" };
const client = { get: async () => ({ data: { HOST: "salt", QUOTED: "$(HOST)" } }) } as unknown as Client;

/** What the program knows of the variables of a container. */
function read(env: readonly object[], envFrom: readonly object[] = []) {
  const containers = [{ name: "function", env, envFrom }];
  const workload = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: { template: { spec: { containers } } },
  };
  return variablesOf(client, workload as never);
}

test.each([
  ["https://$(HOST)", "https://salt"],
  ["$(HOST)$(HOST)", "saltsalt"],
  ["$$(HOST)", "$(HOST)"],
  ["$$$(HOST)", "$salt"],
  ["$(QUOTED)", "$(HOST)"],
  ["$(LATER)", "$(LATER)"],
  ["$(URL)", "$(URL)"],
  ["$HOST $(HOST", "$HOST $(HOST"],
])("the value %j of a variable is what Kubernetes makes of it", async (value, expected) => {
  const env = [
    { name: "URL", value },
    { name: "LATER", value: "x" },
  ];
  const { environment, unread } = await read(env, [{ configMapRef: { name: "own" } }]);
  expect([environment.URL, unread]).toEqual([expected, []]);
});

test("a reference to a variable of the same container that comes first is read", async () => {
  const key = { configMapKeyRef: { name: "own", key: "QUOTED" } };
  const { environment } = await read([
    { name: "A", valueFrom: key },
    { name: "B", value: "$(A)!" },
  ]);
  expect(environment).toEqual({ A: "$(HOST)", B: "$(HOST)!" });
});

test.each([
  ["a Secret", [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "own", key: "x" } } }], []],
  ["a whole Secret", [], [{ secretRef: { name: "own" } }]],
])("a value with a reference to a variable from %s is not known", async (_, env, envFrom) => {
  const { environment, unread } = await read([...env, { name: "URL", value: "https://$(TOKEN)@x" }], envFrom);
  expect([environment.URL, unread]).toEqual([undefined, expect.arrayContaining(["URL"])]);
});

test("a value with a reference to what Kubernetes itself sets is not known", async () => {
  const { environment, unread } = await read([{ name: "URL", value: "https://$(KUBERNETES_SERVICE_HOST)" }]);
  expect([environment.URL, unread]).toEqual([undefined, ["URL"]]);
});
