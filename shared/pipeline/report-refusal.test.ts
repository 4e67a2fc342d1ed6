import { expect, test } from "vitest";
import * as z from "zod";
import { seededRandom } from "../../eventing/random.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { apiFailure } from "../../test/harness/api-failure.ts";
import { about } from "../about.ts";
import { annotate } from "../kubernetes/annotate.ts";
import { createClient } from "../kubernetes/client.ts";
import { ConfigMap, Event } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { rule } from "../rule.ts";
import { run } from "./run.ts";

const denied = 'admission webhook "hooks.example.com" denied the request: not on a Friday, request';
const unanswered = 'failed calling webhook "hooks.example.com": context deadline exceeded, request';
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Has a rule try three times, a minute apart, to patch an object: what is recorded, how often, and each status. */
async function refused(code: number, said: string, mayRecord = true) {
  const clock = virtualClock(Date.parse("2026-03-01T12:00:00Z"));
  const server = createApiServer({ clock, random: seededRandom(1), rbac: false });
  const writes: string[] = [];
  let attempts = 0;
  const client = createClient(
    async (request) => {
      const isEvent = request.path.includes("/events");
      // Webhooks like to name the request, or the time.
      if (request.method === "PATCH" && !isEvent) return apiFailure(code, "Denied", {}, `${said} ${++attempts}.`);
      const response = await server.handle(request);
      if (isEvent && request.method !== "GET" && response.status < 300) writes.push(request.method);
      return response;
    },
    { clock },
  );
  const metadata = { name: "a", namespace: "default" } as KubernetesObject["metadata"];
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });
  const verbs = ["create", "get", "delete"] as const;
  const tried = rule({
    name: "test/one",
    doc: "",
    settings: z.object({}),
    triggers: [],
    permissions: mayRecord ? [{ resource: Event, verbs, why: "" }] : [],
    sweep: [],
    subjects: () => [],
    look: async () => (await client.get(ConfigMap, "default", "a")) as KubernetesObject,
    decide: (seen) => [about(ConfigMap, seen).write("It is tested.", [annotate(ConfigMap, seen, { a: "b" })])],
  });
  const subject = { kind: ConfigMap, namespace: "default", name: "a" };
  const statuses: (number | undefined)[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const connect = () => undefined as never;
    const { outcomes } = await run(tried, subject, [], { client, settings: {} }, { client, connect, clock, log });
    statuses.push(outcomes.get("a")?.[0]?.status);
    await clock.advance(60_000);
  }
  const events = await Array.fromAsync(client.list<KubernetesObject & { reason: string; note: string }>(Event, {}));
  return { statuses, writes, events: events.map(({ reason, note }) => `${reason}: ${note}`) };
}

test.each([
  ["a webhook denies with 400", 400, denied, "Refused", 400],
  ["a webhook denies with 409", 409, denied, "Refused", 503],
  ["a webhook denies with 422", 422, denied, "Refused", 400],
  ["a webhook denies with 500", 500, denied, "Refused", 503],
  ["a policy denies", 403, "ValidatingAdmissionPolicy 'p' denied request: not on a Friday, request", "Refused", 403],
  ["a webhook does not answer", 500, unanswered, "Unreachable", 503],
])("where %s, the object says so once, in the server's words, and since when", async (_, code, said, what, status) => {
  const { statuses, writes, events } = await refused(code, said);
  expect(events).toEqual([expect.stringContaining(`Kubernetes${what}: ConfigMap default/a waits for the API server`)]);
  expect(events[0]).toContain("since 2026-03-01T12:00:00.000Z: ");
  expect(events[0]).toContain(`${said} 1.`);
  expect([writes, statuses]).toEqual([["POST"], [status, status, status]]);
});

test.each([
  ["the API server does not answer", 503, "try again", true],
  ["the rule may record no Events", 400, denied, false],
])("nothing is recorded where %s", async (_, code, said, mayRecord) => {
  const { writes, events } = await refused(code, said, mayRecord);
  expect([writes, events]).toEqual([[], []]);
});
