import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Activator, type ActivatorOptions, createActivator, type RevisionName } from "./activator.ts";
import type { Plan } from "./plan.ts";
import type { InstanceEvent } from "./revision.ts";

const fixture = join(import.meta.dirname, "testing/function.mjs");
const url = "http://tester.shop.svc.cluster.local";
const long = 60_000;

let folder: string;
let activator: Activator;
let events: (InstanceEvent & { revision: string })[];
let records: { name: RevisionName; record: Record<string, unknown> }[];
/** Who waits for something to have happened. */
let waiting: (() => void)[];

beforeEach(() => {
  waiting = [];
  folder = mkdtempSync(join(tmpdir(), "activator-test-"));
  events = [];
  records = [];
});
afterEach(async () => {
  await activator.close(0);
  rmSync(folder, { recursive: true });
});

function open(options: Partial<ActivatorOptions> = {}): void {
  activator = createActivator({
    launch: async ({ environment }) => ({ command: process.execPath, args: [fixture], cwd: folder, environment }),
    onEvent({ revision }, event) {
      events.push({ revision, ...event });
      happened();
    },
    onRecord(name, record) {
      records.push({ name, record });
      happened();
    },
    window: long,
    ...options,
  });
}

function plan(changes: Partial<Plan> = {}, scale: Partial<Plan["scale"]> = {}): Plan {
  return {
    namespace: "shop",
    service: "tester",
    image: "tester",
    labels: { "app.kubernetes.io/part-of": "tests" },
    environment: {},
    configMaps: [],
    secrets: [],
    serviceAccount: "default",
    concurrency: 0,
    timeout: long,
    scale: { min: 0, window: long, ...scale },
    ...changes,
  };
}

/** Opens an activator with the first revision of a service. */
async function deployed(first = plan(), options: Partial<ActivatorOptions> = {}): Promise<void> {
  open(options);
  await activator.deploy(first, "tester-00001");
}

const ask = async (body: string, signal?: AbortSignal) => {
  const answer = await activator.send(`${url}/path?q=1`, { headers: { "content-type": "text/plain" }, body }, signal);
  happened();
  return answer.status === 200 ? answer.body : `${answer.status} ${answer.body}`;
};
/** The same for a request that is let through as it comes. */
async function passed(body: string): Promise<string> {
  const server = createServer((incoming, outgoing) => void activator.pass(url, incoming, outgoing));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body });
  const text = await answer.text();
  server.close();
  return answer.status === 200 ? text : `${answer.status} ${text}`;
}
const seen = (what: InstanceEvent["what"]) => events.filter((event) => event.what === what);
const isAlive = (pid: number) => existsSync(`/proc/${pid}`) || canSignal(pid);
function canSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
/** Resolves when the condition holds; it is asked again at each event, record and answer. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => waiting.push(resolve));
}
function happened(): void {
  for (const resolve of waiting.splice(0)) resolve();
}

test("a pod begins with each process, and ends with it: idle, crashed, or never come to listen", async () => {
  let pods = 0;
  const begun: string[] = [];
  const counted = {
    begin({ service }: Plan, revision: string) {
      begun.push(`${service} ${revision}`);
      pods++;
      return () => void pods--;
    },
    settled: async () => {},
  };
  await deployed(plan(), { pods: counted, window: 50 });
  expect(pods).toBe(0);
  await ask("hello");
  expect([pods, begun]).toEqual([1, ["tester tester-00001"]]);
  await until(() => seen("stopped").length === 1);
  expect(pods).toBe(0);
});

describe("from zero and back", () => {
  test("the first request starts a process, holds until it listens, and is delivered as sent", async () => {
    await deployed(plan({ environment: { VERSION: "7" } }));
    expect(activator.processes()).toBe(0);
    expect(await Promise.all([ask("version"), ask("version"), ask("version")])).toEqual(["7", "7", "7"]);
    expect(events).toEqual([{ revision: "tester-00001", what: "started", ms: expect.any(Number) }]);
    await until(() => records.length === 3);
    expect(records[0]).toEqual({
      name: { namespace: "shop", service: "tester", revision: "tester-00001" },
      record: { level: "info", msg: "version", path: "/path?q=1", host: "tester.shop.svc.cluster.local" },
    });
  });

  test("a process sees the template's environment and Knative's, and nothing of this one's", async () => {
    await deployed(plan({ environment: { MODE: "strict" } }));
    const environment = JSON.parse(await ask("environment"));
    expect(environment).toEqual({
      MODE: "strict",
      K_SERVICE: "tester",
      K_CONFIGURATION: "tester",
      K_REVISION: "tester-00001",
      PORT: expect.stringMatching(/^\d+$/),
      HOST: "127.0.0.1",
    });
  });

  test("an idle process goes after the window, and the next request starts another", async () => {
    await deployed(plan(), { window: 50 });
    const first = Number(await ask("pid"));
    await until(() => seen("stopped").length === 1);
    expect(seen("stopped")[0]).toMatchObject({ message: "idle" });
    expect(isAlive(first)).toBe(false);
    expect(Number(await ask("pid"))).not.toBe(first);
  });

  test("min-scale stays", async () => {
    await deployed(plan({}, { min: 1 }), { window: 20 });
    expect(activator.processes()).toBe(1);
    await activator.deploy(plan({ service: "other" }), "other-00001");
    await activator.send("http://other.shop.svc.cluster.local", { headers: {}, body: "version" });
    // It has been idle for less time than the one that stays.
    await until(() => seen("stopped").length > 0);
    expect(seen("stopped")).toMatchObject([{ revision: "other-00001", message: "idle" }]);
  });
});

describe("saturation", () => {
  test("no more requests at once than containerConcurrency", async () => {
    await deployed(plan({ concurrency: 2 }));
    await Promise.all(Array.from({ length: 12 }, () => ask("rest")));
    expect(await ask("peak")).toBe("2");
  });

  test("a request that its sender gives up while it waits is never delivered", async () => {
    await deployed(plan({ concurrency: 1 }));
    const gate = join(folder, "gate");
    const held = ask(`gate ${gate}`);
    await until(() => seen("started").length === 1);
    const given = new AbortController();
    const second = ask("pid", given.signal);
    given.abort(new Error("The sender has gone."));
    await expect(second).rejects.toThrow("The sender has gone.");
    writeFileSync(gate, "");
    expect(await held).toBe("1");
    expect(await ask("version")).toBe("1");
    await until(() => records.length === 2);
    expect(records.map(({ record }) => record.msg)).toEqual(["gate", "version"]);
  });

  test("a request that takes longer than timeoutSeconds is answered with 504", async () => {
    await deployed();
    await ask("version");
    await activator.deploy(plan({ timeout: 300 }), "tester-00002");
    expect(await ask(`gate ${folder}/never`)).toBe("504 request timeout");
    expect(await passed(`gate ${folder}/never`)).toBe("504 request timeout");
  });
});

describe("a process that goes wrong", () => {
  test("a crash fails what it had and what waited for it with 502; the next request starts another", async () => {
    await deployed(plan({ concurrency: 1 }));
    const answers = await Promise.all([ask("crash"), ask("version"), ask("version")]);
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(["502", "502", "502"]);
    expect(seen("crashed")[0]).toMatchObject({ message: "The process ended with exit code 3" });
    expect(await ask("version")).toBe("1");
  });

  test("a bundle that fails at start is reported with its output", async () => {
    await deployed(plan({ environment: { BEHAVIOUR: "broken" } }));
    const answer = await ask("version");
    expect(answer).toMatch(/^503 The function cannot be started\. The process ended with exit code 1; it said:/);
    expect(answer).toContain("This fixture is broken.");
    expect(seen("failed")).toHaveLength(1);
  });

  test("a bundle that never listens is killed and reported", async () => {
    await deployed(plan({ environment: { BEHAVIOUR: "deaf" } }), { startLimit: 8000 });
    expect(await ask("version")).toMatch(
      /^503 The function cannot be started\. The process did not listen on PORT=\d+ within 8 s; it said:\nbehaviour: deaf$/,
    );
  });
});

describe("rolling", () => {
  test("under load every request is answered, by the old revision and then by the new one", async () => {
    await deployed(plan({ environment: { VERSION: "1" }, concurrency: 2 }));
    await ask("version");
    const answers: string[] = [];
    let rolling = true;
    const loads = Array.from({ length: 8 }, async () => {
      while (rolling) answers.push(await ask("version"));
    });
    await activator.deploy(plan({ environment: { VERSION: "2" }, concurrency: 2 }), "tester-00002");
    await until(() => answers.includes("2"));
    rolling = false;
    await Promise.all(loads);
    expect(new Set(answers)).toEqual(new Set(["1", "2"]));
    await until(() => seen("stopped").length === 1);
    expect(seen("stopped")[0]).toMatchObject({ revision: "tester-00001", message: "replaced" });
  });

  test("the old revision answers what it has before its process goes", async () => {
    await deployed();
    const gate = join(folder, "gate");
    const held = ask(`gate ${gate}`);
    await until(() => seen("started").length === 1);
    await activator.deploy(plan({ environment: { VERSION: "2" } }), "tester-00002");
    expect(await ask("version")).toBe("2");
    expect(seen("stopped")).toEqual([]);
    writeFileSync(gate, "");
    expect(await held).toBe("1");
    await until(() => seen("stopped").length === 1);
  });

  test("a new revision that does not listen leaves the old one in place", async () => {
    await deployed();
    const broken = plan({ environment: { BEHAVIOUR: "broken", VERSION: "2" } });
    await expect(activator.deploy(broken, "tester-00002")).rejects.toThrow("This fixture is broken.");
    expect(await ask("version")).toBe("1");
  });

  test("of two deployments at once the later one wins", async () => {
    await deployed();
    await Promise.all([
      activator.deploy(plan({ environment: { VERSION: "2" } }), "tester-00002"),
      activator.deploy(plan({ environment: { VERSION: "3" } }), "tester-00003"),
    ]);
    expect(await ask("version")).toBe("3");
  });

  test("a removed service is unknown, and its processes go", async () => {
    await deployed();
    const pid = Number(await ask("pid"));
    await activator.remove("shop", "tester");
    expect(isAlive(pid)).toBe(false);
    await expect(ask("version")).rejects.toThrow(`There is no Knative Service behind ${url}`);
  });
});

describe("sharing", () => {
  const version = (VERSION: string) => plan({ environment: { VERSION } });
  const first = "tester-00001";
  const second = "tester-00002";
  const askTag = async (tag: string) =>
    (await activator.send(`http://${tag}-tester.shop.svc.cluster.local`, { headers: {}, body: "version" })).body;

  beforeEach(async () => {
    open();
    await activator.deploy(version("1"), first);
  });

  test("a pinned revision keeps the traffic; the newer one goes to zero, and is reached by its tag alone", async () => {
    expect(activator.route("shop", "tester", [{ revisionName: first, percent: 100 }])).toEqual([]);
    await activator.deploy(version("2"), second);
    await until(() => seen("stopped").length === 1);
    expect(seen("stopped")[0]).toMatchObject({ revision: second, message: "replaced" });
    expect(await ask("version")).toBe("1");
    await expect(askTag("canary")).rejects.toThrow("There is no Knative Service behind");
    activator.route("shop", "tester", [
      { revisionName: first, percent: 100 },
      { tag: "canary", percent: 0 },
    ]);
    expect(await askTag("canary")).toBe("2");
    expect(await ask("version")).toBe("1");
  });

  test("percentages are dealt out among the revisions", async () => {
    activator.route("shop", "tester", [
      { revisionName: first, percent: 75 },
      { tag: "canary", percent: 25 },
    ]);
    expect(new Set(await Promise.all(Array.from({ length: 4 }, () => ask("version"))))).toEqual(new Set(["1"]));
    await activator.deploy(version("2"), second);
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask("version")));
    expect(answers.sort().join("")).toBe("11111122");
  });

  test("the traffic goes back to an earlier revision, and what is under way is answered", async () => {
    await activator.deploy(version("2"), second);
    const gate = join(folder, "gate");
    const held = ask(`gate ${gate}`);
    await until(() => records.some(({ record }) => record.msg === "gate"));
    expect(activator.route("shop", "tester", [{ revisionName: first, percent: 100 }])).toEqual([]);
    expect(await ask("version")).toBe("1");
    writeFileSync(gate, "");
    expect(await held).toBe("2");
    await until(() => seen("stopped").some(({ revision }) => revision === second));
  });

  test("a revision that is not there is named, and nothing changes", async () => {
    const unknown = "tester-00007";
    expect(activator.route("shop", "tester", [{ revisionName: unknown, percent: 100 }])).toEqual([unknown]);
    expect(await ask("version")).toBe("1");
  });
});

describe("closing", () => {
  test("a process that ignores SIGTERM is killed after the grace", async () => {
    await deployed(plan({ environment: { BEHAVIOUR: "stubborn" } }));
    const pid = Number(await ask("pid"));
    await activator.close(50);
    expect(isAlive(pid)).toBe(false);
  });

  test("a request that is under way is answered, one that waits is refused, and a start is called off", async () => {
    await deployed(plan({ concurrency: 1 }));
    const gate = join(folder, "gate");
    const held = ask(`gate ${gate}`);
    await until(() => records.length === 1);
    const waiting = ask("version");
    const closed = activator.close(long);
    expect(await waiting).toMatch(/^503/);
    writeFileSync(gate, "");
    expect(await held).toBe("1");
    await closed;
  });
});
