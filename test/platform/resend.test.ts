import { beforeEach, describe, expect, test } from "vitest";
import { createBroker } from "../../eventing/broker/broker.ts";
import { policyFor } from "../../eventing/delivery/policy.ts";
import { compileFilters } from "../../eventing/filter/filter.ts";
import { seededRandom } from "../../eventing/random.ts";
import { ServiceAccount } from "../../functions/platform/dead-letter/installed-function.ts";
import { recordDeadLetters } from "../../functions/platform/dead-letter/record.ts";
import { sweep } from "../../functions/platform/sweep/sweep.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { type VirtualClock, virtualClock } from "../../local/time/testing/virtual-clock.ts";
import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { ConfigMap, Event, PersistentVolumeClaim, StorageClass } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

const sink = "http://broker.example/holdfast/storage";
const table = `
- rule: pvc-protection/release
  apiVersion: v1
  kind: PersistentVolumeClaim
  resource: persistentvolumeclaims
  every: 365d
  sink: ${sink}
`;
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const settings = { namespace: "default", configMap: "holdfast-dead-letters" };

let clock: VirtualClock;
let client: Client;
/** What the function, behind its broker, makes of an event. */
let answer: () => Promise<HttpResponse>;
let heard: (string | undefined)[];
let broker: ReturnType<typeof createBroker>;

beforeEach(async () => {
  clock = virtualClock();
  client = createClient(createApiServer({ clock, random: seededRandom(1) }).handle, { clock });
  heard = [];
  const deadLetter = recordDeadLetters({ client: () => client, clock, log, settings });
  broker = createBroker(
    { namespace: "default", name: "storage", url: sink, async: false },
    {
      clock,
      send: (url, request) => {
        if (url === "http://dead-letter.default.svc.cluster.local") return deadLetter(request);
        heard.push(request.headers["ce-name"]);
        return answer();
      },
    },
  );
  const delivery = { filter: compileFilters([]), policy: policyFor({}, undefined) };
  broker.subscribe([
    {
      namespace: "default",
      name: "pvc-protection-release",
      subscriber: "http://pvc-protection-release.default.svc.cluster.local",
      deadLetterSink: "http://dead-letter.default.svc.cluster.local",
      ...delivery,
    },
  ]);
  await put(ServiceAccount, "pvc-protection-release");
  await put(ConfigMap, "holdfast-sweep", { data: { "table.yaml": table } });
});

const put = (
  kind: { apiVersion: string; kind: string; plural: string; namespaced: boolean },
  name: string,
  rest = {},
) =>
  client.create(kind, {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace: "default" },
    ...rest,
  } as KubernetesObject);

/** A change of a claim, or of another object, as its source sends it. */
const changed = (name: string, of: Record<string, string> = {}): HttpRequest => ({
  headers: {
    "ce-specversion": "1.0",
    "ce-id": `of ${name}`,
    "ce-source": "https://10.96.0.1:443",
    "ce-type": "dev.knative.apiserver.resource.update",
    "ce-apiversion": "v1",
    "ce-kind": "PersistentVolumeClaim",
    "ce-namespace": "default",
    "ce-name": name,
    ...of,
  },
  body: "",
});

let ids = 0;
/** The claims of which the function hears in one tick of the sweep. */
async function tick(): Promise<readonly (string | undefined)[]> {
  heard = [];
  await clock.advance(300_000);
  const swept = sweep(
    { client, clock, log, id: () => `e${++ids}`, post: (_, request) => broker.receive(request) },
    {
      namespace: "default",
      table: "holdfast-sweep",
      sinkHosts: ["broker.example"],
      rate: 1000,
      tick: 55_000,
      staleChannels: "report",
      deadLetters: settings.configMap,
    },
  );
  await outcomeOf(clock, swept, 600_000);
  return heard.toSorted();
}

const status = (status: number) => async () => ({ status, headers: {}, body: "" });

test("what a function does not take is sent until it is taken, of as many objects as are kept", async () => {
  const names = Array.from("abcdefghij");
  await tick();
  answer = status(503);
  for (const name of names) await broker.receive(changed(name));
  expect(await tick()).toEqual(names);
  expect(await tick()).toEqual(names);
  answer = status(204);
  expect(await tick()).toEqual(names);
  expect(await tick()).toEqual([]);
});

test.each([400, 401, 403, 422])("what a function refuses with %i is sent until its cause is gone", async (code) => {
  await tick();
  answer = status(code);
  await broker.receive(changed("data"));
  const minutes: number[] = [];
  for (let minute = 5; minute <= 24 * 60; minute += 5) if ((await tick()).length > 0) minutes.push(minute);
  // With each tick for an hour, then ever more rarely, and not for ever.
  expect(minutes.slice(0, 12)).toEqual(Array.from({ length: 12 }, (_, index) => 5 * (index + 1)));
  expect(minutes.length).toBeLessThan(25);
  expect(minutes.at(-1)).toBeLessThan(18 * 60);
});

test("what a policy forbids for some minutes is done with the first tick after it", async () => {
  await tick();
  answer = status(403);
  await broker.receive(changed("data"));
  expect([await tick(), await tick()]).toEqual([["data"], ["data"]]);
  answer = status(204);
  expect(await tick()).toEqual(["data"]);
  expect(await tick()).toEqual([]);
});

test("what no rule wants looked for is sent again by a row that is not listed", async () => {
  const row = `
- rule: undelete/retain
  apiVersion: storage.k8s.io/v1
  kind: StorageClass
  resource: storageclasses
  namespaced: false
  listed: false
  sink: ${sink}
`;
  await client.patch(ConfigMap, "default", "holdfast-sweep", "merge", { data: { "table.yaml": table + row } });
  for (const name of ["fast", "slow"]) await put(StorageClass, name, { provisioner: "example.com/csi" });
  answer = status(204);
  await tick();
  expect(heard).toEqual([]);
  answer = status(503);
  const fast = { "ce-apiversion": "storage.k8s.io/v1", "ce-kind": "StorageClass", "ce-namespace": "" };
  await broker.receive(changed("fast", fast));
  expect(await tick()).toEqual(["fast"]);
  answer = status(204);
  expect([await tick(), await tick()]).toEqual([["fast"], []]);
});

test("what is a defect of the function is not sent again", async () => {
  await tick();
  answer = status(500);
  await broker.receive(changed("data"));
  expect(await tick()).toEqual([]);
});

describe("more objects than are kept of a function", () => {
  const names = Array.from("abcdefghijklm");
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const fail = async () => {
    answer = status(503);
    for (const name of names) await broker.receive(changed(name));
  };
  const ticks = async (count: number) => {
    const heard = [];
    for (let i = 0; i < count; i++) heard.push((await tick()).join(""));
    return heard;
  };

  beforeEach(async () => {
    for (const name of names) await put(PersistentVolumeClaim, name, { spec });
    answer = status(204);
    await ticks(2);
    await fail();
  });

  test("are all sent again, once, when the function accepts its kept events", async () => {
    expect(await ticks(3)).toEqual(["abcdefghij", "abcdefghij", "abcdefghij"]);
    answer = status(204);
    expect(await ticks(4)).toEqual(["abcdefghij", names.join(""), "", ""]);
  });

  test("that fail once more within an hour are sent again when the hour is over", async () => {
    answer = status(204);
    expect(await ticks(3)).toEqual(["abcdefghij", names.join(""), ""]);
    await clock.advance(120_000);
    await fail();
    answer = status(204);
    const heard = await ticks(14);
    expect(heard.filter((one) => one !== "")).toEqual([names.join("")]);
  });
});

test("a function that cannot be reached is no defect, and has its event again", async () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  answer = status(204);
  await put(PersistentVolumeClaim, "data", { spec });
  await tick();
  answer = () => Promise.reject(new Error("connection refused"));
  await broker.receive(changed("data"));
  const [event] = await Array.fromAsync(
    client.list<KubernetesObject & { note: string }>(Event, { namespace: "default" }),
  );
  expect(event?.note).toContain("(no answer). It could not be reached");
  expect(await tick()).toEqual(["data"]);
});
