import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { seededRandom } from "../../eventing/random.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { type VirtualClock, virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { apiFailure } from "../../test/harness/api-failure.ts";
import { about } from "../about.ts";
import type { Decision } from "../decision.ts";
import { type Client, createClient } from "../kubernetes/client.ts";
import { ConfigMap, Event } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { ApiRequest } from "../kubernetes/transport.ts";
import { progressKey, readProgress } from "../progress.ts";
import { awayNameOf, rule } from "../rule.ts";
import { silent } from "../steps.ts";
import { command } from "../system/command.ts";
import type { ExternalSystem } from "../system/system.ts";
import { SystemError, type SystemFailure } from "../system/system-error.ts";
import { run } from "./run.ts";

const lamp = { name: "lamp" } as ExternalSystem<() => Promise<void>>;
const turnOn = command(lamp, "turn a lamp on", (light) => light())({});
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let clock: VirtualClock;
let client: Client;
/** How the lamp fails now. */
let failure: SystemFailure | undefined;
let requests: string[];
/** Which requests the API server refuses, and with what. */
let refuses: (request: ApiRequest) => number | undefined;

beforeEach(async () => {
  clock = virtualClock(Date.parse("2026-03-01T12:00:00Z"));
  const server = createApiServer({ clock, random: seededRandom(1), rbac: false });
  requests = [];
  refuses = () => undefined;
  client = createClient(
    async (request) => {
      const status = refuses(request);
      if (status) return apiFailure(status, status === 409 ? "Conflict" : "No");
      if (request.method !== "GET") requests.push(`${request.method} ${request.path.split("?")[0]}`);
      return server.handle(request);
    },
    { clock },
  );
  await client.create(ConfigMap, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "default" },
  } as KubernetesObject);
  failure = undefined;
  requests = [];
});

const light = async () => {
  if (failure) throw new SystemError("Lamp", failure, "Nothing answers at http://lamp.");
};

function lamps(looks: boolean, decide: (seen: KubernetesObject) => readonly Decision[]) {
  return rule({
    name: "lamps/light",
    doc: "",
    settings: z.object({}),
    triggers: [],
    permissions: [],
    sweep: [],
    steps: { lit: silent },
    systems: { lamp },
    subjects: () => [],
    look: async () => {
      if (looks) await light();
      return (await client.get(ConfigMap, "default", "a")) as KubernetesObject;
    },
    decide,
  });
}
const looking = lamps(true, (seen) => [about(ConfigMap, seen).leave("It is lit.")]);
const calling = lamps(false, (seen) => [
  about(ConfigMap, seen).call("It is lit.", { step: { name: "lit" }, command: turnOn, next: clock.now() + 60_000 }),
]);

async function look(one: typeof looking): Promise<number> {
  const connect = () => light as never;
  const subject = { kind: ConfigMap, namespace: "default", name: "a" };
  const view = { client, settings: {}, lamp: light } as never;
  const { outcomes, failed } = await run(one, subject, [], view, { client, connect, clock, log });
  return failed?.status ?? Math.max(204, ...[...outcomes.values()].flat().map(({ status }) => status));
}

const object = async () => (await client.get(ConfigMap, "default", "a")) as KubernetesObject;
const outage = async () => readProgress(await object(), "lamps/light/away");
const events = async () =>
  (await Array.fromAsync(client.list<KubernetesObject & { reason: string; note: string }>(Event, {}))).map(
    ({ reason, note }) => `${reason}: ${note}`,
  );

describe.each([
  ["a look", looking],
  ["a command", calling],
])("where an external system is away for %s", (_, one) => {
  test("the object says which one and since when, in an annotation and a Warning", async () => {
    failure = "unreachable";
    expect(await look(one)).toBe(503);
    expect(await outage()).toMatchObject({
      step: "LampUnreachable",
      since: "2026-03-01T12:00:00.000Z",
      next: "2026-03-01T12:00:30.000Z",
      because: expect.stringContaining(
        "waits for Lamp since 2026-03-01T12:00:00.000Z: Nothing answers at http://lamp.",
      ),
    });
    expect((await object()).metadata.labels).toEqual({ "holdfast.dev/waiting": "true" });
    expect(await events()).toEqual([expect.stringMatching(/^LampUnreachable: ConfigMap .*waits for Lamp since/)]);
  });
});

test("an outage of two hours costs one write, and its later events end in 204", async () => {
  failure = "unreachable";
  expect(await look(looking)).toBe(503);
  const { length } = requests;
  for (let minute = 0; minute < 120; minute++) {
    await clock.advance(60_000);
    expect(await look(looking)).toBe(204);
  }
  expect(requests.slice(length)).toEqual([]);
  expect((await outage())?.since).toBe("2026-03-01T12:00:00.000Z");
});

test("the first look after the outage and the due time clears annotation, label and Warning", async () => {
  failure = "overloaded";
  await look(looking);
  failure = undefined;
  const { annotations: written } = (await object()).metadata;
  await clock.advance(29_999);
  expect(await look(looking)).toBe(204);
  expect((await object()).metadata).toMatchObject({
    annotations: written,
    labels: { "holdfast.dev/waiting": "true" },
  });
  await clock.advance(1);
  expect(await look(looking)).toBe(204);
  const { annotations = {}, labels = {} } = (await object()).metadata;
  expect([annotations, labels, await events()]).toEqual([{}, {}, []]);
});

test("the note goes as well where the rule has nothing to say about the object any more", async () => {
  failure = "unreachable";
  await look(looking);
  failure = undefined;
  await clock.advance(30_000);
  expect(await look({ ...looking, decide: () => [] })).toBe(204);
  const { annotations = {}, labels = {} } = (await object()).metadata;
  expect([annotations, labels, await events()]).toEqual([{}, {}, []]);
});

test("a system that answers every other request costs four writes a minute and leaves no note in the end", async () => {
  const start = clock.now();
  const end = start + 60_000;
  const writes = () => requests.filter((request) => request === "PATCH /api/v1/namespaces/default/configmaps/a").length;
  // The sweep sends what is due, each write comes back as an event, and the broker tries again after a 503. Events
  // that come within 200 ms share a look.
  let queue = [start, start + 30_000, end].map((at) => ({ at, attempt: 0 }));
  for (let asked = 0; queue.length > 0; asked++) {
    const at = Math.min(...queue.map((event) => event.at));
    const { attempt } = queue.find((event) => event.at === at) ?? { attempt: 0 };
    queue = queue.filter((event) => event.at >= at + 200);
    await clock.advance(at - clock.now());
    failure = asked % 2 === 0 ? "unreachable" : undefined;
    const before = writes();
    const status = await look(looking);
    const next = [
      ...(writes() > before ? [{ at: at + 200, attempt: 0 }] : []),
      ...(status === 503 && attempt < 5 ? [{ at: at + 500 * 2 ** attempt, attempt: attempt + 1 }] : []),
    ];
    queue.push(...next.filter((event) => event.at <= end));
  }
  expect(writes()).toBeLessThanOrEqual(4);
  failure = "unreachable";
  await look(looking);
  expect(await outage()).toBeDefined();
  failure = undefined;
  await clock.advance(30_000);
  expect(await look(looking)).toBe(204);
  expect([(await object()).metadata.labels ?? {}, await events()]).toEqual([{}, []]);
});

test.each([
  ["a minute ahead stays until its due time", "2026-03-01T12:01:30.000Z", true],
  ["an hour ahead goes at once", "2026-03-01T13:00:30.000Z", false],
])("the note of an instance whose clock is %s", async (_, next, stays) => {
  failure = "unreachable";
  await look(looking);
  failure = undefined;
  const annotations = { [progressKey(awayNameOf(looking))]: JSON.stringify({ ...(await outage()), next }) };
  await client.patch(ConfigMap, "default", "a", "merge", { metadata: { annotations } });
  expect(await look(looking)).toBe(204);
  expect((await outage()) !== undefined).toBe(stays);
});

test("what was intended while a system is away is logged as not done", async () => {
  failure = "unreachable";
  await look(calling);
  await clock.advance(60_000);
  const warnings: unknown[] = [];
  const listening = { ...log, warn: (fields: object, message: string) => warnings.push([fields, message]) };
  const subject = { kind: ConfigMap, namespace: "default", name: "a" };
  const tools = { client, connect: () => light as never, clock, log: listening };
  await run(calling, subject, [], { client, settings: {}, lamp: light } as never, tools);
  expect(warnings).toEqual([
    [expect.objectContaining({ intended: "It is lit." }), expect.stringContaining("waits for Lamp since")],
  ]);
});

test("another kind of failure is written down as such, with a time of its own", async () => {
  failure = "unreachable";
  await look(looking);
  await clock.advance(600_000);
  failure = "unauthorized";
  expect(await look(looking)).toBe(403);
  expect(await outage()).toMatchObject({ step: "LampUnauthorized", since: "2026-03-01T12:10:00.000Z" });
});

test("a command's intent stays as it was written while the system is away", async () => {
  failure = "unreachable";
  await look(calling);
  const { annotations = {} } = (await object()).metadata;
  expect(Object.keys(annotations).toSorted()).toEqual(["holdfast.dev/lamps.light", progressKey(awayNameOf(calling))]);
});

test.each([403, 409, 500, 503])(
  "an Event that is refused with %i does not keep the object from saying it",
  async (code) => {
    refuses = ({ path }) => (path.includes("/events") ? code : undefined);
    failure = "unreachable";
    expect(await look(looking)).toBe(503);
    expect(await outage()).toMatchObject({ step: "LampUnreachable", next: "2026-03-01T12:00:30.000Z" });
    await clock.advance(60_000);
    expect(await look(looking)).toBe(204);
  },
);

test("an Event that is refused once is recorded with the next attempt, once", async () => {
  refuses = ({ path }) => (path.includes("/events") ? 503 : undefined);
  failure = "unreachable";
  await look(looking);
  refuses = () => undefined;
  for (let attempt = 0; attempt < 2; attempt++) {
    await clock.advance(2000);
    expect(await look(looking)).toBe(503);
  }
  expect(await events()).toEqual([expect.stringMatching(/^LampUnreachable: ConfigMap .*waits for Lamp since/)]);
});

test("an annotation that is refused leaves the Event, and the event to the broker", async () => {
  refuses = ({ method, path }) => (method === "PATCH" && path.includes("/configmaps/") ? 403 : undefined);
  failure = "unreachable";
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await look(looking)).toBe(503);
    await clock.advance(60_000);
  }
  expect(await outage()).toBeUndefined();
  // Once, with the time of the first attempt.
  expect(await events()).toEqual([expect.stringContaining("waits for Lamp since 2026-03-01T12:00:00.000Z")]);
});

test("an object that has changed meanwhile has neither: the next attempt looks again", async () => {
  refuses = ({ method, path }) => (method === "PATCH" && path.includes("/configmaps/") ? 409 : undefined);
  failure = "unreachable";
  expect(await look(looking)).toBe(503);
  expect([await outage(), await events()]).toEqual([undefined, []]);
});
