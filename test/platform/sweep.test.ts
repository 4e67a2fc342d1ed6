import { beforeEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { statusKey } from "../../functions/platform/lib/sweep-status.ts";
import { sweepFunction } from "../../functions/platform/sweep/declaration.ts";
import { onTick } from "../../functions/platform/sweep/on-tick.ts";
import { type SweepSettings, sweep } from "../../functions/platform/sweep/sweep.ts";
import { type ApiServer, createApiServer } from "../../local/apiserver/server.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { type VirtualClock, virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { type Client, createClient, type ListOptions } from "../../shared/kubernetes/client.ts";
import { ConfigMap, Event, type Kind, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { readSettings } from "../../shared/settings.ts";

const ours = "holdfast.dev/pvc-protection";
const sink = "http://broker.example/holdfast/storage";
const rowText = (more = "") => `
- rule: pvc-protection/release
  apiVersion: v1
  kind: PersistentVolumeClaim
  resource: persistentvolumeclaims
  when: { deletingWith: ${ours} }
  every: 365d
  sink: ${sink}
${more}`;
const settings: SweepSettings = {
  namespace: "default",
  table: "holdfast-sweep",
  sinkHosts: ["broker.example", "other.example"],
  rate: 1000,
  tick: 55_000,
  staleChannels: "report",
  deadLetters: "holdfast-dead-letters",
};
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let clock: VirtualClock;
let server: ApiServer;
let client: Client;
let posted: { at: number; url: string; name: string | undefined; headers: Readonly<Record<string, string>> }[];
let answer: (name: string) => number;
let hangs: (name: string) => boolean;

beforeEach(() => {
  clock = virtualClock();
  server = createApiServer({ clock, random: seededRandom(1) });
  client = createClient(server.handle, { clock });
  posted = [];
  answer = () => 202;
  hangs = () => false;
});

const put = (
  kind: { apiVersion: string; kind: string; plural: string; namespaced: boolean },
  name: string,
  metadata: object = {},
  rest: object = {},
) =>
  client.create(kind, {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace: "default", ...metadata },
    ...rest,
  } as KubernetesObject);
const claim = (name: string, metadata: object = {}) =>
  put(PersistentVolumeClaim, name, metadata, {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
/** The table as the tick of a minute ago has left it: a first one resyncs everything. */
const table = async (text: string) => {
  const { metadata } = await put(ConfigMap, "holdfast-sweep", {}, { data: { "table.yaml": text } });
  const at = new Date(clock.now() - 60_000).toISOString();
  const annotations = { [statusKey]: JSON.stringify({ v: 1, uid: metadata.uid, at, because: "1 row was swept." }) };
  await client.patch(ConfigMap, "default", "holdfast-sweep", "merge", { metadata: { annotations } });
};
const deleting = async (name: string) => {
  await claim(name, { finalizers: [ours] });
  await client.delete(PersistentVolumeClaim, "default", name);
};
const wait = async (name: string, next: string) => {
  const uid = (await client.get(PersistentVolumeClaim, "default", name))?.metadata.uid;
  const progress = JSON.stringify({ v: 1, uid, step: "x", since: next, next, because: "x" });
  await client.patch(PersistentVolumeClaim, "default", name, "merge", {
    metadata: { annotations: { "holdfast.dev/test.rule": progress } },
  });
};
const waiting = async (name: string, next: string) => {
  await claim(name, { labels: { "holdfast.dev/waiting": "true" } });
  await wait(name, next);
};

/** Runs one tick to its end, on virtual time. */
async function tick(more: Partial<SweepSettings> = {}): Promise<string> {
  let ids = 0;
  const tools = {
    client,
    clock,
    log,
    id: () => `e${++ids}`,
    post: async (url: string, { headers }: { headers: Readonly<Record<string, string>> }) => {
      const name = headers["ce-name"];
      posted.push({ at: clock.now(), url, name, headers });
      if (hangs(name ?? "")) return new Promise<never>(() => {});
      return { status: answer(name ?? ""), headers: {}, body: "" };
    },
  };
  return outcomeOf(clock, sweep(tools, { ...settings, ...more }), 10 * 60_000);
}
/** Runs the tick of a minute later. */
async function nextTick(more: Partial<SweepSettings> = {}): Promise<string> {
  await clock.advance(60_000);
  return tick(more);
}
/** Why there are Events. */
const reasons = async () => {
  const events = client.list<KubernetesObject & { reason: string }>(Event, { namespace: "default" });
  return Array.fromAsync(events, ({ reason }) => reason);
};
const status = async () => {
  const configMap = await client.get(ConfigMap, "default", "holdfast-sweep");
  return JSON.parse(configMap?.metadata.annotations?.[statusKey] ?? "{}");
};
const names = () => posted.map(({ name }) => name);

describe("a tick", () => {
  test(
    "sends an event for what is being deleted with our finalizer, with the attributes of a source, " +
      "and for nothing else",
    async () => {
      await table(rowText());
      await deleting("data-1");
      await claim("data-2", { finalizers: [ours] });
      expect(await tick()).toBe("1 row was swept.");
      expect(posted).toHaveLength(1);
      expect(posted[0]).toMatchObject({
        url: sink,
        headers: {
          "ce-type": "dev.holdfast.sweep",
          "ce-kind": "PersistentVolumeClaim",
          "ce-apiversion": "v1",
          "ce-namespace": "default",
          "ce-name": "data-1",
          "ce-specversion": "1.0",
        },
      });
    },
  );

  test("sends one event for an object that several rows want", async () => {
    await table(rowText() + rowText());
    await deleting("data-1");
    await tick();
    expect(names()).toEqual(["data-1"]);
  });

  test("leaves out what a row's label selector does not match", async () => {
    await table(rowText("  labelSelector: tier=gold\n"));
    await deleting("data-1");
    await claim("data-2", { finalizers: [ours], labels: { tier: "gold" } });
    await client.delete(PersistentVolumeClaim, "default", "data-2");
    await tick();
    expect(names()).toEqual(["data-2"]);
  });

  test("sends one event for an object that rows with different selectors want", async () => {
    await table(rowText() + rowText("  labelSelector: tier=gold\n"));
    await claim("data-1", { finalizers: [ours], labels: { tier: "gold" } });
    await client.delete(PersistentVolumeClaim, "default", "data-1");
    await tick();
    expect(names()).toEqual(["data-1"]);
  });

  test("says in the ConfigMap's annotation how far it has come", async () => {
    await table(rowText());
    await tick();
    expect(await status()).toMatchObject({ v: 1, at: "2026-01-01T00:00:00.000Z", because: "1 row was swept." });
  });

  test("finds rows that have come with another system, and resyncs everything once", async () => {
    await table(rowText());
    await claim("plain");
    await tick();
    const further = { "table.yaml": rowText().replace("release", "protect") };
    await put(ConfigMap, "further", { labels: { "holdfast.dev/sweep-table": "true" } }, { data: further });
    expect(posted).toEqual([]);
    await tick();
    await tick();
    expect(posted.map(({ name }) => name)).toEqual(["plain"]);
  });

  test("refuses a row that sends events to another host, also in a table that anyone has labelled", async () => {
    await table(rowText());
    const stolen = rowText().replace(/sink: .*/, "sink: http://evil.tenant.svc/holdfast/storage");
    await put(
      ConfigMap,
      "further",
      { labels: { "holdfast.dev/sweep-table": "true" } },
      { data: { "table.yaml": stolen } },
    );
    await deleting("data-1");
    expect(await tick()).toContain("sink: SINK_HOSTS of platform-sweep does not name its host. (in ConfigMap further)");
    expect(new Set(posted.map(({ url }) => url))).toEqual(new Set([sink]));
  });

  test("has a poll trigger its rule alone, where no resync of the kind is due, and due times go to all", async () => {
    const poll = (rule: string) =>
      `${rowText()
        .replace("365d", "1m")
        .replace(/ {2}when: .*\n/, "")}  signal: dev.holdfast.poll.${rule}\n`;
    await table(`${rowText()}${poll("a-one")}${poll("a-two")}`);
    await claim("plain");
    await tick();
    const types = () => posted.splice(0).map(({ name, headers }) => `${headers["ce-type"]} ${name}`);
    expect(types()).toEqual(["dev.holdfast.poll.a-one plain", "dev.holdfast.poll.a-two plain"]);
    await waiting("late", new Date(clock.now()).toISOString());
    await nextTick();
    expect(types()).toEqual([
      "dev.holdfast.sweep late",
      "dev.holdfast.poll.a-one plain",
      "dev.holdfast.poll.a-two plain",
    ]);
  });

  test("that polls an object for one rule still resyncs it for all rules if another list contains it", async () => {
    const often = rowText()
      .replace("365d", "1m")
      .replace(/ {2}when: .*\n/, "");
    await table(`${often}  labelSelector: tier=gold\n  signal: dev.holdfast.poll.a-one\n${often}`);
    await claim("data-1", { labels: { tier: "gold" } });
    await tick();
    const types = posted.map(({ headers }) => headers["ce-type"]);
    expect(types).toEqual(["dev.holdfast.poll.a-one", "dev.holdfast.sweep"]);
  });

  test("that is the first one of all resyncs everything, and the next one does not", async () => {
    await put(ConfigMap, "holdfast-sweep", {}, { data: { "table.yaml": rowText() } });
    await claim("data-1", { finalizers: [ours] });
    await tick();
    await nextTick();
    expect(names()).toEqual(["data-1"]);
  });

  test("without a table says what to install", async () => {
    expect(await tick()).toContain("There is no ConfigMap default/holdfast-sweep; install it");
  });

  test("that finds a row at fault names its line in the status and a Warning, and sweeps the other rows", async () => {
    await table(rowText("- rule: broken\n"));
    await deleting("data-1");
    expect(await tick()).toMatch(/^Line 9 of the table is refused: /);
    expect(names()).toEqual(["data-1"]);
    expect(await status()).toMatchObject({ wrong: ["TableRefused"], because: expect.stringMatching(/^Line 9 of the/) });
    expect(await reasons()).toEqual(["TableRefused"]);
  });
});

describe("time", () => {
  beforeEach(() => table(rowText()));

  test("'again in 10 s' is kept within 2 s, by a nap within the tick", async () => {
    await waiting("data-1", "2026-01-01T00:00:10Z");
    await tick();
    expect(names()).toEqual(["data-1"]);
    const late = (posted[0]?.at ?? 0) - Date.parse("2026-01-01T00:00:10Z");
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThanOrEqual(2_000);
  });

  test("something that begins to wait while the tick naps is kept as well", async () => {
    await waiting("data-1", "2026-01-01T00:00:40Z");
    void clock.sleep(5_000).then(() => waiting("data-2", "2026-01-01T00:00:15Z"));
    await tick();
    expect(names()).toEqual(["data-2", "data-1"]);
    expect(posted[0]?.at).toBeLessThanOrEqual(Date.parse("2026-01-01T00:00:17Z"));
  });

  test("'again in 10 s', over and over, is kept within 2 s each time, by a rule that is slow", async () => {
    const first = clock.now() + 10_000;
    await waiting("data-1", new Date(first).toISOString());
    const asked = [first];
    answer = (name) => {
      const again = clock.now() + 3_000 + 10_000;
      asked.push(again);
      void clock.sleep(3_000).then(() => wait(name, new Date(again).toISOString()));
      return 202;
    };
    await tick();
    expect(posted.length).toBe(4);
    for (const [index, sent] of posted.entries()) {
      expect(sent.at - (asked[index] ?? 0)).toBeGreaterThanOrEqual(0);
      expect(sent.at - (asked[index] ?? 0)).toBeLessThanOrEqual(2_000);
    }
  });

  test("'again in 10 s' is kept although another rule's time on the same object has passed long ago", async () => {
    const began = clock.now();
    await waiting("data-1", new Date(began - 60_000).toISOString());
    const uid = (await client.get(PersistentVolumeClaim, "default", "data-1"))?.metadata.uid;
    const write = (next: number) => {
      const text = JSON.stringify({ v: 1, uid, next: new Date(next).toISOString() });
      const metadata = { annotations: { "holdfast.dev/test.other": text } };
      return client.patch(PersistentVolumeClaim, "default", "data-1", "merge", { metadata });
    };
    await write(began + 10_000);
    answer = () => {
      void clock.sleep(12_000).then(() => write(clock.now() + 10_000));
      return 202;
    };
    await tick();
    expect(posted.map(({ at }) => Math.round((at - began) / 10_000))).toEqual([0, 1, 3, 5]);
  });

  test("what is due and stays so is looked after for a moment, not for the whole tick", async () => {
    const before = clock.now();
    await waiting("data-1", new Date(before).toISOString());
    await tick();
    expect(names()).toEqual(["data-1"]);
    expect(clock.now() - before).toBeLessThanOrEqual(33_000);
  });

  test("nothing that waits costs nothing: the tick ends at once", async () => {
    await waiting("data-1", "2026-01-01T00:10:00Z");
    const before = clock.now();
    await tick();
    expect(clock.now() - before).toBeLessThan(1_000);
  });

  test("what is due is sent once a tick, and again at the next as long as it waits", async () => {
    await waiting("data-1", "2026-01-01T00:00:00Z");
    await tick();
    expect(names()).toEqual(["data-1"]);
    await nextTick();
    expect(names()).toEqual(["data-1", "data-1"]);
  });
});

describe("a tick that cannot finish", () => {
  test("writes down the place, and the next ones go on there until every object has had its event", async () => {
    await table(rowText());
    for (let i = 10; i < 40; i++) await deleting(`data-${i}`);
    const first = await tick({ rate: 10, tick: 1_000 });
    expect(first).toBe("The time of this tick is over. The next tick goes on.");
    expect(await status()).toMatchObject({
      cursor: { phase: "urgent", list: "v1/persistentvolumeclaims?", namespace: "default" },
    });
    for (let i = 0; i < 5 && (await status()).cursor; i++) {
      await nextTick({ rate: 10, tick: 1_000 });
    }
    expect(names()).toEqual(Array.from({ length: 30 }, (_, i) => `data-${i + 10}`));
    expect((await status()).cursor).toBeUndefined();
  });

  test("of a resync sends what falls due meanwhile first in the next one", async () => {
    await table(rowText().replace("every: 365d", "every: 1m"));
    for (let i = 10; i < 60; i++) await claim(`data-${i}`);
    await tick({ rate: 10, tick: 1_000 });
    expect((await status()).cursor?.phase).toBe("rest");
    await waiting("late", new Date(clock.now() + 30_000).toISOString());
    await clock.advance(60_000);
    const before = posted.length;
    await tick({ rate: 10, tick: 1_000 });
    expect(names()[before]).toBe("late");
    expect((await status()).cursor?.phase).toBe("rest");
  });

  test("begins again when the admin has taken the kind out of the table", async () => {
    await table(rowText());
    for (let i = 10; i < 30; i++) await deleting(`data-${i}`);
    await tick({ rate: 10, tick: 1_000 });
    const other = rowText()
      .replace("persistentvolumeclaims", "pods")
      .replace("kind: PersistentVolumeClaim", "kind: Pod");
    await client.patch(ConfigMap, "default", "holdfast-sweep", "merge", { data: { "table.yaml": other } });
    expect(await tick()).toBe("1 row was swept.");
    expect((await status()).cursor).toBeUndefined();
  });
});

describe("what is listed", () => {
  const claims = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { namespace: "default", name: `data-${10_000 + index}`, uid: `u${index}`, resourceVersion: "5" },
    }));
  /** Lets lists answer these objects; returns what was listed. */
  function serve(objects: readonly KubernetesObject[]): ListOptions[] {
    const listed: ListOptions[] = [];
    client = {
      ...client,
      async *list<T extends KubernetesObject>({ kind }: Kind, options: ListOptions = {}) {
        if (kind !== PersistentVolumeClaim.kind) return;
        listed.push(options);
        if (!options.labelSelector) yield* objects as readonly T[];
      },
    };
    return listed;
  }
  const all = rowText().replace("deletingWith", "aliveWithout");

  test("is listed once in a tick, and once more for what waits: as metadata alone, page by page", async () => {
    await table(all + rowText());
    const listed = serve(claims(20));
    await tick();
    expect(names()).toHaveLength(20);
    expect(listed).toEqual([
      { metadataOnly: true, pageSize: 500 },
      { metadataOnly: true, pageSize: 500, labelSelector: "holdfast.dev/waiting=true" },
    ]);
  });

  test("is listed again, not kept, when it is too much: every object has its event, in order", async () => {
    await table(all);
    const objects = claims(5_100);
    const listed = serve(objects);
    await tick();
    expect(names()).toEqual(objects.map(({ metadata }) => metadata.name));
    expect(listed.filter(({ labelSelector }) => !labelSelector)).toHaveLength(2);
  });
});

describe("a broker that refuses events", () => {
  test("is tried a few times with growing pauses, reported, and left to the next tick", async () => {
    await table(rowText());
    await deleting("data-1");
    answer = () => 503;
    const message = await tick();
    expect(message).toBe(
      `${sink} takes no events, because it answered 503; it is tried again with the next tick. 1 row was swept.`,
    );
    expect(posted).toHaveLength(6);
    const gaps = posted.slice(1).map(({ at }, i) => at - (posted[i]?.at ?? 0));
    expect(gaps).toEqual([100, 200, 400, 800, 1600]);
    expect(await reasons()).toEqual(["BrokerRefused"]);

    answer = () => 202;
    posted = [];
    expect(await nextTick()).toBe("1 row was swept.");
    expect(names()).toEqual(["data-1"]);
    expect(await reasons()).toEqual([]);
  });

  test("has all its objects resynced, once, when it takes events again", async () => {
    await table(rowText());
    await claim("data-1");
    await deleting("data-2");
    answer = () => 503;
    await tick();
    expect((await status()).owed).toEqual({ [sink]: expect.stringMatching(/^2026-01-01T00:00:03/) });
    answer = () => 202;
    posted = [];
    await nextTick();
    expect(names().sort()).toEqual(["data-1", "data-2"]);
    expect((await status()).owed).toBeUndefined();
    posted = [];
    await nextTick();
    expect(names()).toEqual(["data-2"]);
  });

  test("in the middle of a resync of several ticks has all its objects resynced when that is over", async () => {
    await put(ConfigMap, "holdfast-sweep", {}, { data: { "table.yaml": rowText() } });
    for (let i = 10; i < 40; i++) await claim(`data-${i}`);
    await tick({ rate: 10, tick: 1_000 });
    expect((await status()).cursor).toMatchObject({ phase: "rest" });
    answer = () => 503;
    await tick();
    answer = () => 202;
    for (const expected of [30, 0]) {
      posted = [];
      await nextTick();
      expect(posted).toHaveLength(expected);
    }
  });
});

describe("a source or a broker that was away between two ticks", () => {
  /** The time since when each has been Ready; `false` for one that is not. */
  let ready: Record<string, string | false>;
  let lists: string[];
  let generation: number;
  let observedGeneration: number;

  beforeEach(async () => {
    ready = { "ApiServerSource workloads": "2025-12-01T00:00:00Z", "Broker workloads": "2025-12-01T00:00:00Z" };
    [generation, observedGeneration] = [1, 1];
    lists = [];
    const whole = client;
    client = {
      ...whole,
      async *list(kind: Kind, options: ListOptions) {
        lists.push(kind.plural);
        if (!["ApiServerSource", "Broker"].includes(kind.kind)) return yield* whole.list(kind, options);
        expect(options.namespace).toBe(settings.namespace);
        for (const [key, since] of Object.entries(ready)) {
          if (!key.startsWith(`${kind.kind} `)) continue;
          const time = { lastTransitionTime: since || "2026-01-01T00:00:00Z" };
          const conditions = [{ type: "Ready", status: since ? "True" : "False", ...time }];
          yield { metadata: { name: key.split(" ")[1], generation }, status: { observedGeneration, conditions } };
        }
      },
    } as unknown as Client;
    await table(rowText());
    await claim("data-1");
    await next();
    posted = [];
  });

  /** How many objects have an event in the next tick, five minutes later. */
  const next = async () => {
    posted = [];
    await clock.advance(300_000);
    await tick();
    return posted.length;
  };
  /** It became Ready `ago` milliseconds before the next tick. */
  const returned = (name: string, ago: number) => {
    ready[name] = new Date(clock.now() + 300_000 - ago).toISOString();
  };

  test.each(["ApiServerSource workloads", "Broker workloads"])("has everything resynced, once: %s", async (name) => {
    expect(await next()).toBe(0);
    returned(name, 120_000);
    expect(await next()).toBe(1);
    expect((await status()).because).toMatch(
      new RegExp(`^Changes may have reached no function until ${name} became Ready: every object gets an event\\.`),
    );
    expect(await next()).toBe(0);
  });

  test("has everything resynced when it is back, and not while it is away", async () => {
    ready["ApiServerSource workloads"] = false;
    expect([await next(), await next()]).toEqual([0, 0]);
    returned("ApiServerSource workloads", 120_000);
    expect([await next(), await next()]).toEqual([1, 0]);
  });

  test("also where it is a new one, and where it was gone for a tick", async () => {
    returned("Broker storage", 60_000);
    expect([await next(), await next()]).toEqual([1, 0]);
    delete ready["Broker storage"];
    expect(await next()).toBe(0);
    returned("Broker storage", 60_000);
    expect([await next(), await next()]).toEqual([1, 0]);
  });

  test("has everything resynced only when it has had the time to watch", async () => {
    returned("ApiServerSource workloads", 10_000);
    expect([await next(), await next(), await next()]).toEqual([0, 1, 0]);
  });

  test("counts also where Knative has carried out another spec of it, and not before", async () => {
    generation = 2;
    expect(await next()).toBe(0);
    observedGeneration = 2;
    expect([await next(), await next()]).toEqual([1, 0]);
  });

  test("has everything resynced four times an hour at most, and in the end", async () => {
    const counts = [];
    for (let i = 0; i < 8; i++) {
      returned("ApiServerSource workloads", 60_000);
      counts.push(await next());
    }
    expect(counts).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
    for (let i = 0; i < 5; i++) counts.push(await next());
    expect(counts.slice(8)).toEqual([0, 0, 0, 0, 1]);
    expect(await next()).toBe(0);
  });

  test("has everything resynced after ticks that could not look at it", async () => {
    const seeing = client;
    const forbidden = new ApiError("GET", { status: 403, reason: "Forbidden", message: "It may not list brokers." });
    client = {
      ...seeing,
      list: (kind: Kind, options: ListOptions) => {
        if (kind.kind === "Broker") throw forbidden;
        return seeing.list(kind, options);
      },
    } as Client;
    returned("Broker workloads", 60_000);
    expect(await next()).toBe(0);
    expect((await status()).because).toMatch(/^The sources and brokers cannot be looked at: .*may not list brokers/);
    client = seeing;
    expect([await next(), await next()]).toEqual([1, 0]);
  });

  test("costs a list of each kind in a tick", async () => {
    lists = [];
    await next();
    const ofKnative = lists.filter((plural) => !["configmaps", "persistentvolumeclaims"].includes(plural));
    expect(ofKnative.toSorted()).toEqual(["apiserversources", "brokers", "inmemorychannels"]);
  });
});

describe("without Knative, sources that the schedule's event says were away", () => {
  const ticks = onTick(
    {
      client: () => client,
      clock: {
        now: () => clock.now(),
        after: (...more) => clock.after(...more),
        sleep: (...more) => clock.sleep(...more),
      },
      log,
      settings: readSettings(sweepFunction.settings, { NAMESPACE: "default", SINK_HOSTS: "broker.example" }),
    },
    async (_url, { headers }) => {
      posted.push({ at: clock.now(), url: "", name: headers["ce-name"], headers });
      return { status: 202, headers: {}, body: "" };
    },
    () => "e1",
  );
  /** How many objects have an event in the next tick. */
  const next = async (unbroken?: string) => {
    posted = [];
    await clock.advance(300_000);
    const headers = unbroken === undefined ? {} : { "ce-unbrokensince": unbroken };
    const { status } = await outcomeOf(clock, ticks({ headers, body: "" }), 10 * 60_000);
    expect(status).toBe(204);
    return posted.length;
  };
  const ago = (ms: number) => new Date(clock.now() + 300_000 - ms).toISOString();

  beforeEach(async () => {
    await table(rowText());
    await claim("data-1");
  });

  test("have everything resynced by the next tick, once", async () => {
    const first = ago(3_600_000);
    expect([await next(first), await next(first)]).toEqual([0, 0]);
    const later = ago(60_000);
    expect(await next(later)).toBe(1);
    expect((await status()).because).toMatch(/^platform-source may have missed changes: every object gets an event\./);
    expect(await next(later)).toBe(0);
    expect((await status()).ways).toEqual({ "platform-source": later });
  });

  test("count also where posts without a time, or with a known one, come with the same tick", async () => {
    const first = ago(3_600_000);
    await next(first);
    const later = ago(60_000);
    posted = [];
    await clock.advance(300_000);
    const posts = [first, later, first, ""].map((unbroken) =>
      ticks({ headers: { "ce-unbrokensince": unbroken }, body: "" }),
    );
    await Promise.all(posts.map((answer) => outcomeOf(clock, answer, 10 * 60_000)));
    expect(posted).toHaveLength(1);
    expect((await status()).ways).toEqual({ "platform-source": later });
  });

  test("are compared with what was known where a tick does not say, or says what is no time", async () => {
    const first = ago(3_600_000);
    expect([await next(first), await next(), await next("now"), await next(first)]).toEqual([0, 0, 0, 0]);
    expect(await next(ago(60_000))).toBe(1);
  });

  test("count when they have had the time to watch", async () => {
    await next(ago(3_600_000));
    const later = ago(5_000);
    expect([await next(later), await next(later), await next(later)]).toEqual([0, 1, 0]);
  });
});

describe("a tick that did not come", () => {
  /** Ticks five minutes apart, by a schedule that lets a tick take 280 s. */
  const next = async (minutes = 5) => {
    posted = [];
    await clock.advance(minutes * 60_000);
    return tick({ tick: 280_000 });
  };

  beforeEach(async () => {
    await table(rowText());
    await claim("data-1");
  });

  test("has everything resynced by the next one, once, because events may have been lost meanwhile", async () => {
    await next();
    await next();
    expect(names()).toEqual([]);
    expect(await next(10)).toMatch(
      /^The sweep has written down no tick since 2026-01-01T00:10:00.000Z: every object gets an event/,
    );
    expect(names()).toEqual(["data-1"]);
    await next();
    expect(names()).toEqual([]);
  });

  test("is not seen in a schedule with longer pauses", async () => {
    for (let i = 0; i < 4; i++) {
      await next(30);
      expect(names()).toEqual([]);
    }
  });

  test("makes the next tick resync everything, each time, also if every second tick is missed", async () => {
    await next();
    await next();
    const heard = [];
    for (const minutes of [10, 5, 10, 60, 5, 60]) {
      await next(minutes);
      heard.push(names().length);
    }
    expect(heard).toEqual([1, 0, 1, 1, 0, 1]);
  });

  test("is also a tick that could not save its status", async () => {
    await next();
    await next();
    const whole = client;
    const conflict = new ApiError("PATCH", { status: 409, reason: "Conflict", message: "It changed." });
    client = { ...client, patch: () => Promise.reject(conflict) };
    await next();
    client = whole;
    await next();
    expect(names()).toEqual(["data-1"]);
  });
});

describe("what is wrong with one row leaves the others alone:", () => {
  const elsewhere = rowText().replace(sink, "http://other.example/").replace("deletingWith", "aliveWithout");

  test("a broker that refuses", async () => {
    await table(elsewhere + rowText());
    await claim("a-alive");
    await deleting("b-deleting");
    answer = (name) => (name === "a-alive" ? 404 : 202);
    for (let i = 0; i < 3; i++) {
      expect(await tick()).toContain("http://other.example/ takes no events, because it answered 404");
      await clock.advance(60_000);
    }
    expect(names().filter((name) => name === "b-deleting")).toHaveLength(3);
  });

  test("a kind that cannot be listed", async () => {
    const missing = rowText().replace("apiVersion: v1", "apiVersion: storage.example/v1");
    await table(missing + rowText());
    await deleting("data-1");
    expect(await tick()).toMatch(/^persistentvolumeclaims cannot be listed: .*404/);
    expect(names()).toEqual(["data-1"]);
    expect(await reasons()).toEqual(["ListRefused"]);
  });

  test("a list that breaks off once, which is resynced by the next tick", async () => {
    await put(ConfigMap, "holdfast-sweep", {}, { data: { "table.yaml": rowText() } });
    await claim("data-1");
    const { list } = client;
    const broken = {
      ...client,
      list: (kind: Kind, ...more: never[]) => {
        if (kind.kind === PersistentVolumeClaim.kind) throw new Error("The connection broke.");
        return list.call(client, kind, ...more);
      },
    };
    const whole = client;
    client = broken as Client;
    await tick();
    client = whole;
    expect(names()).toEqual([]);
    await nextTick();
    expect(names()).toEqual(["data-1"]);
  });

  test("a broker that does not answer holds the tick up for its patience, not for ever", async () => {
    await table(elsewhere + rowText());
    await claim("a-alive");
    await deleting("b-deleting");
    hangs = (name) => name === "a-alive";
    const before = clock.now();
    expect(await tick()).toContain("because it did not answer within 5 s");
    expect(clock.now() - before).toBeLessThanOrEqual(settings.tick);
    expect(names()).toContain("b-deleting");
  });
});

test("what is being deleted comes before what merely lacks a finalizer, however much of that there is", async () => {
  await table(rowText().replace("deletingWith", "aliveWithout") + rowText());
  for (let i = 10; i < 60; i++) await claim(`a-${i}`);
  await tick({ rate: 10, tick: 1_000 });
  expect((await status()).cursor).toMatchObject({ phase: "rest" });
  await deleting("z-deleting");
  posted = [];
  await nextTick({ rate: 10, tick: 1_000 });
  expect(names()[0]).toBe("z-deleting");
});

test("a nap keeps to the rate, to the tick's end and to excluded namespaces", async () => {
  await table(rowText("  excludedNamespaces: [kube-system]\n"));
  for (let i = 10; i < 40; i++) await waiting(`data-${i}`, "2026-01-01T00:00:05Z");
  const { metadata } = await client.create(PersistentVolumeClaim, {
    ...(await client.get(PersistentVolumeClaim, "default", "data-10")),
    metadata: { name: "spared", namespace: "kube-system", labels: { "holdfast.dev/waiting": "true" } },
  } as unknown as KubernetesObject);
  const progress = JSON.stringify({ v: 1, uid: metadata.uid, next: "2026-01-01T00:00:05Z" });
  await client.patch(PersistentVolumeClaim, "kube-system", "spared", "merge", {
    metadata: { annotations: { "holdfast.dev/x": progress } },
  });
  const before = clock.now();
  await tick({ rate: 5, tick: 9_000 });
  expect(names()).not.toContain("spared");
  expect(posted.length).toBeGreaterThan(10);
  expect(posted.length).toBeLessThanOrEqual(21);
  expect(clock.now() - before).toBeLessThanOrEqual(9_500);
});

test("two sweeps at once send some events twice, and both end well", async () => {
  await table(rowText());
  for (let i = 0; i < 5; i++) await deleting(`data-${i}`);
  const both = await Promise.all([tick(), tick()]);
  expect(both).toEqual(["1 row was swept.", "1 row was swept."]);
  expect(new Set(names()).size).toBe(5);
  expect(names()).toHaveLength(10);
  expect((await status()).cursor).toBeUndefined();
});

test("ticks that come while one goes on share the next, however many come", async () => {
  await table(rowText());
  await claim("data-1");
  let [running, begun, most] = [0, 0, 0];
  const counting: Client = {
    ...client,
    get: async (kind, namespace, name, options) => {
      if (name === "holdfast-sweep") most = Math.max(most, ++begun && ++running);
      return client.get(kind, namespace, name, options);
    },
    patch: (kind, namespace, name, type, patch, options) =>
      client.patch(kind, namespace, name, type, patch, options).finally(() => running--) as never,
  };
  const environment = { NAMESPACE: "default", SINK_HOSTS: settings.sinkHosts.join(",") };
  const handle = onTick(
    { client: () => counting, clock, log, settings: readSettings(sweepFunction.settings, environment) },
    async () => ({ status: 202, headers: {}, body: "" }),
  );
  const posts = () => Array.from({ length: 50 }, () => handle({ headers: {}, body: "" }));
  const first = posts();
  await clock.advance(5);
  const statuses = await Promise.all([...first, ...posts()].map((answer) => outcomeOf(clock, answer, 10 * 60_000)));
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([204]));
  expect({ begun, most }).toEqual({ begun: 2, most: 1 });
});

describe("what a function could not take", () => {
  const hour = 3_600_000;
  /** Kept events by how long ago they came (milliseconds), with what is not usual about them. */
  const kept = async (...all: readonly (readonly [string, number, object?, object?])[]) => {
    const entries = all.map(([name, ago, more = {}, attributes = {}], index) => {
      const received = clock.now() - ago;
      const named = { type: "dev.knative.apiserver.resource.update", apiversion: "v1", kind: "PersistentVolumeClaim" };
      const destination = "pvc-protection-release.default";
      const text = { received, attributes: { ...named, namespace: "default", name, ...attributes }, destination };
      const number = String(index).padStart(2, "0");
      return [`20260101T0000${number}-000Z-${number.repeat(6)}.json`, { ...text, code: "503", ...more }];
    });
    const data = Object.fromEntries(entries.map(([key, text]) => [key, JSON.stringify(text)]));
    await put(ConfigMap, "holdfast-dead-letters", {}, { data });
  };

  test("is sent again, once an object, for a reason that can end, and not for a defect of the function", async () => {
    await table(rowText());
    await kept(
      ["a", 60_000],
      ["a", 30_000, { destination: "other.default" }],
      ["late", 60_000, { code: "", destination: "", unknown: true }, { type: "dev.holdfast.made-up" }],
      ["defect", 60_000, { code: "500" }],
      ["no-function", 60_000, { unknown: true }],
      ["old", 7 * hour],
      ["secret", 60_000, {}, { kind: "Secret" }],
      ["not\na-name", 60_000],
    );
    await tick();
    expect(names()).toEqual(["a", "late"]);
    // As the function hears of it: not every function that hears of a kind's changes also hears of it by the sweep.
    const types = posted.map(({ headers }) => headers["ce-type"]);
    expect(types).toEqual(["dev.knative.apiserver.resource.update", "dev.holdfast.sweep"]);
    const { resentAt, resent } = await status();
    expect(resentAt).toMatch(/^2026-/);
    // Two are about one object that was sent, one about another, and one about a kind that no row has.
    expect(resent?.map((id: string) => id.endsWith("-")).sort()).toEqual([false, false, false, true]);
    await tick();
    // Taken: nothing more comes, and nothing more is sent.
    expect(names()).toEqual(["a", "late"]);
    expect((await status()).resentAt).toBe(resentAt);
  });

  test("is sent with each tick for an hour, and then ever more rarely", async () => {
    await table(rowText());
    await kept(
      ["begins", 1, { since: clock.now() - 0.9 * hour }],
      ["rests", hour, { since: clock.now() - 5 * hour }],
      ["due", 2.1 * hour, { since: clock.now() - 6 * hour }],
    );
    await tick();
    expect(names().toSorted()).toEqual(["begins", "due"]);
  });

  test("is sent with a later tick where the broker does not take it, and where there is much of it", async () => {
    await table(rowText());
    await kept(...Array.from({ length: 25 }, (_, index) => [`c-${index}`, 60_000] as const));
    answer = () => 503;
    await tick();
    answer = () => 202;
    for (const more of [20, 5, 0]) {
      posted = [];
      await tick();
      expect(names()).toHaveLength(more);
    }
  });

  test("keeps to the label that a table selects by, and to namespaces that it leaves out", async () => {
    await table(rowText('  labelSelector: "storage=keep"\n  excludedNamespaces: [kube-system]\n'));
    await claim("in", { labels: { storage: "keep" } });
    await claim("out");
    await kept(["in", 60_000], ["out", 60_000], ["gone", 60_000], ["in", 60_000, {}, { namespace: "kube-system" }]);
    await tick();
    expect(names()).toEqual(["in"]);
  });

  test("is sent where the row's label is Holdfast's own, and the object does not have it", async () => {
    await table(rowText('  labelSelector: "holdfast.dev/changed=true"\n'));
    await claim("unlabelled");
    await kept(["unlabelled", 60_000]);
    await tick();
    expect(names()).toEqual(["unlabelled"]);
  });

  test("is sent where one of several rows of its kind selects it", async () => {
    await table(`${rowText('  labelSelector: "storage=keep"\n')}${rowText()}`);
    await claim("out");
    await kept(["out", 60_000]);
    await tick();
    expect(names()).toEqual(["out"]);
  });

  test("is sent also where a poll of one rule alone, or what a source says, was sent for its object", async () => {
    const poll = rowText()
      .replace("365d", "1m")
      .replace(/ {2}when: .*\n/, "");
    await table(`${rowText()}${poll}  signal: dev.holdfast.poll.a-rule\n`);
    await claim("a");
    await kept(["a", 60_000], ["a", 60_000, {}, { type: "dev.holdfast.sweep" }]);
    await tick();
    const types = posted.map(({ headers }) => headers["ce-type"]);
    expect(types).toEqual(["dev.holdfast.poll.a-rule", "dev.knative.apiserver.resource.update", "dev.holdfast.sweep"]);
  });

  test("is left to the next tick where this one's time is over, and the broker is not blamed for that", async () => {
    await table(rowText());
    for (let index = 0; index < 10; index++) await deleting(`data-${index}`);
    await kept(["a", 60_000]);
    expect(await tick({ rate: 1, tick: 5_000 })).toBe("The time of this tick is over. The next tick goes on.");
    expect(names()).not.toContain("a");
    expect(await tick({ rate: 1000 })).toBe("1 row was swept.");
    expect(names()).toContain("a");
  });
});
