import { afterEach, beforeEach, expect, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type ApiServer, createApiServer } from "../apiserver/server.ts";
import { virtualClock } from "../time/testing/virtual-clock.ts";
import type { Plan } from "./plan.ts";
import { createFunctionPods, type FunctionPods } from "./pods.ts";

const clock = virtualClock();
let server: ApiServer;
let pods: FunctionPods;
let failures: string[];
let list: () => Promise<KubernetesObject[]>;

beforeEach(() => {
  const random = seededRandom(1);
  server = createApiServer({ clock, random });
  const client = createClient(server.handle, { clock });
  failures = [];
  pods = createFunctionPods({ client, random, failed: (pod, error) => failures.push(`${pod}: ${error}`) });
  list = () => Array.fromAsync(client.list(Pod));
});
afterEach(() => server.close());

const plan = (namespace = "default"): Plan => ({
  namespace,
  service: "release",
  image: "fn://pvc-protection/release",
  labels: { "app.kubernetes.io/part-of": "holdfast" },
  environment: {},
  configMaps: [],
  secrets: [],
  serviceAccount: "default",
  concurrency: 1,
  timeout: 1000,
  scale: { min: 0, window: 1000 },
});

test("an instance has a pod with its template's labels and its revision's name, which no scheduler takes", async () => {
  pods.begin(plan(), "release-00001");
  await pods.settled();
  const [pod, ...others] = await list();
  expect(others).toEqual([]);
  expect(pod?.metadata.name).toMatch(/^release-00001-deployment-\w{5}$/);
  expect(pod?.metadata.labels).toMatchObject({
    "app.kubernetes.io/part-of": "holdfast",
    "serving.knative.dev/revision": "release-00001",
  });
  expect(pod?.spec).toMatchObject({ schedulingGates: [{ name: "laptop.holdfast.dev/runs-as-a-process" }] });
});

test("the pod goes with its instance, also when it goes before its pod is there; others stay", async () => {
  const ends = [pods.begin(plan(), "release-00001"), pods.begin(plan(), "release-00001")];
  ends[0]?.();
  await pods.settled();
  expect(await list()).toHaveLength(1);
  ends[1]?.();
  await pods.settled();
  expect(await list()).toEqual([]);
  expect(failures).toEqual([]);
});

test("a pod that cannot be created is reported once, and its end is no fault", async () => {
  const end = pods.begin(plan("nowhere"), "release-00001");
  end();
  await pods.settled();
  expect(failures).toEqual([expect.stringMatching(/^Pod nowhere\/release-00001-deployment-\w{5}: .*not found/)]);
});
