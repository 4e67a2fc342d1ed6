import { expect, test } from "vitest";
import * as z from "zod";
import { seededRandom } from "../../eventing/random.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { about } from "../about.ts";
import { createClient } from "../kubernetes/client.ts";
import { ConfigMap } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { readProgress } from "../progress.ts";
import { rule } from "../rule.ts";
import { silent } from "../steps.ts";
import { hasSlipped } from "./debounce-due-time.ts";
import { plan } from "./plan.ts";
import { receive } from "./receive.ts";

const name = "test/again";

/** A rule that wants to look again in ten seconds, whenever it looks; `step` says at which step it is. */
async function world(step: () => string = () => "waiting") {
  const clock = virtualClock();
  const client = createClient(createApiServer({ clock, random: seededRandom(1) }).handle, { clock });
  const metadata = { namespace: "default", name: "data" } as KubernetesObject["metadata"];
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });
  const silentLog = { debug() {}, info() {}, warn() {}, error() {} };
  const again = rule({
    name,
    doc: "Looks again in ten seconds.",
    settings: z.object({}),
    triggers: [],
    permissions: [],
    sweep: [],
    steps: { waiting: silent, other: silent },
    subjects: ({ namespace = "", name }) => [{ kind: ConfigMap, namespace, name }],
    look: (_, { client }) => client.get(ConfigMap, "default", "data"),
    decide: (object, now) => {
      if (!object) return [];
      const next = now + 10_000;
      return [about(ConfigMap, object).wait("It is not ready.", { step: { name: step() }, next })];
    },
  });
  const handle = receive(again, { client: () => client, clock, log: silentLog, settings: {} });
  const live = async () => (await client.get(ConfigMap, "default", "data")) as KubernetesObject;
  return {
    clock,
    next: async () => Date.parse(readProgress(await live(), name)?.next ?? ""),
    /** Sends an event for each write, as a source does, until there is none; returns how many writes there were. */
    async settle(): Promise<number> {
      for (let writes = 0; writes < 50; writes++) {
        const before = (await live()).metadata.resourceVersion;
        const headers = {
          "ce-specversion": "1.0",
          "ce-id": String(writes),
          "ce-source": "/",
          "ce-type": "dev.knative.apiserver.resource.update",
          "ce-kind": "ConfigMap",
          "ce-apiversion": "v1",
          "ce-namespace": "default",
          "ce-name": "data",
        };
        expect((await handle({ headers, body: "" })).status).toBe(204);
        if ((await live()).metadata.resourceVersion === before) return writes;
        await clock.advance(70);
      }
      return 50;
    },
  };
}

test("a rule that says each time when to look again is not triggered by its own writes for ever", async () => {
  const { settle } = await world();
  expect(await settle()).toBe(1);
});

test("when the time has come a new one is written, once", async () => {
  const { settle, clock, next } = await world();
  await settle();
  const first = await next();
  await clock.advance(10_000);
  expect(await settle()).toBe(1);
  expect(await next()).toBeGreaterThanOrEqual(first + 10_000);
});

test("another step is written with its own time", async () => {
  let step = "waiting";
  const { settle, clock, next } = await world(() => step);
  await settle();
  const first = await next();
  await clock.advance(3_000);
  step = "other";
  expect(await settle()).toBe(1);
  expect(await next()).toBeGreaterThan(first);
});

test.each<[string, number | undefined, number | undefined, boolean]>([
  ["a little later", 10_000, 10_500, true],
  ["later by as much as a rule pauses", 10_000, 3_600_000, true],
  ["later by more than any rule pauses", 10_000, 3_620_000, false],
  ["earlier, by less than two clocks may be apart", 130_000, 11_000, true],
  ["earlier by more than that: a person is in a hurry, or a clock was set back", 140_000, 11_000, false],
  ["passed", 4_000, 10_000, false],
  ["none any more", 10_000, undefined, false],
  ["none before", undefined, 10_000, false],
])("a time that is %s", (_, written, next, expected) => {
  const iso = written === undefined ? {} : { next: new Date(written).toISOString() };
  const before = { v: 1, uid: "u", step: "s", since: "", because: "", ...iso };
  expect(hasSlipped(before, next, 5_000)).toBe(expected);
});

test("a time that people read is written as it is, the end of a pause is not", () => {
  const time = (at: number) => new Date(at).toISOString();
  const note = {
    v: 1,
    uid: "u",
    step: "waiting",
    since: time(0),
    next: time(10_000),
    because: "It is kept until then.",
  };
  const annotations = { "holdfast.dev/test.again": JSON.stringify(note) };
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "data", uid: "u", resourceVersion: "1", annotations, labels: { "holdfast.dev/waiting": "true" } },
  };
  const isWritten = (more: { readonly isDeadline?: true }) => {
    const decision = about(ConfigMap, object).write("It is kept.", [], {
      step: { name: "waiting" },
      next: 20_000,
      ...more,
    });
    return plan({ name, steps: { waiting: silent } } as never, decision, 5_000).operations.some(
      (one) => one.do === "write",
    );
  };
  expect([isWritten({}), isWritten({ isDeadline: true })]).toEqual([false, true]);
});

test("two instances whose clocks are a minute apart do not write over each other's time", () => {
  let due = -1_000;
  let writes = 0;
  for (let look = 0; look < 8; look++) {
    const own = look * 1_000 + (look % 2 === 0 ? 60_000 : 0);
    const before = { v: 1, uid: "u", step: "s", since: "", because: "", next: new Date(due).toISOString() };
    if (hasSlipped(before, own + 10_000, own)) continue;
    due = own + 10_000;
    writes++;
  }
  expect(writes).toBe(1);
});
