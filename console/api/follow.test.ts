import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Node, Pod } from "../../shared/kubernetes/kind.ts";
import { whatIsOutdated } from "./connection.ts";
import { follow } from "./follow.ts";
import type { Selection } from "./list.ts";
import { listing } from "./use-list.ts";

const selection = { kind: Node };
/** How pages are left that a test has opened. */
const leaving: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false, addEventListener: () => {}, removeEventListener: () => {} });
});
afterEach(async () => {
  for (const leave of leaving.splice(0)) leave();
  await vi.advanceTimersByTimeAsync(100);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const node = (name: string, resourceVersion: string) => ({ metadata: { name, uid: name, resourceVersion } });

/** The console's server. Each list and each stream is answered when the test says so. */
function server() {
  const lists: ((names: readonly string[], resourceVersion: string) => void)[] = [];
  const streams: { readonly path: string; say(line: object): void; alive(): void }[] = [];
  vi.stubGlobal("fetch", (url: string, { signal }: RequestInit) => {
    if (!url.startsWith("/watch"))
      return new Promise((resolve) =>
        lists.push((names, resourceVersion) =>
          resolve(Response.json({ metadata: { resourceVersion }, items: names.map((name) => node(name, "1")) })),
        ),
      );
    const path = new URL(url, "http://console").searchParams.get("path") ?? "";
    const body = new ReadableStream({
      start(controller) {
        signal?.addEventListener("abort", () => controller.error(signal.reason));
        const say = (line: object) => controller.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
        streams.push({ path, say: (line) => say({ path, ...line }), alive: () => say({}) });
      },
    });
    return Promise.resolve(new Response(body));
  });
  return { lists, streams };
}

/** A server, and a cache with its list of no Nodes. */
function listed() {
  const cache = new QueryClient();
  cache.setQueryData(listing(selection).queryKey, { resourceVersion: "5", objects: new Map() });
  return { ...server(), cache };
}

/** A page that shows the Nodes, as useList does. Returns how it is left. */
function open(cache: QueryClient): () => void {
  const observer = new QueryObserver(cache, listing(selection));
  const forget = observer.subscribe(() => {});
  const stop = follow(cache, selection);
  let isOpen = true;
  const leave = () => {
    if (!isOpen) return;
    isOpen = false;
    forget();
    stop();
  };
  leaving.push(leave);
  return leave;
}

test("a page that is opened again continues its watch, and no list overwrites what the watch brought", async () => {
  const { lists, streams, cache } = listed();
  const leave = open(cache);
  await vi.advanceTimersByTimeAsync(50);
  leave();
  const leaveAgain = open(cache);
  await vi.advanceTimersByTimeAsync(50);
  expect(streams.at(-1)?.path).toContain("resourceVersion=5");
  streams.at(-1)?.say({ event: { type: "ADDED", object: node("new", "6") } });
  await vi.advanceTimersByTimeAsync(200);
  for (const answer of lists) answer([], "5");
  await vi.advanceTimersByTimeAsync(200);
  const names = [...(cache.getQueryData(listing(selection).queryKey)?.objects.keys() ?? [])];
  leaveAgain();
  expect(names).toEqual(["new"]);
});

test("a page asks less and less often while the API server is away, though its own server answers", async () => {
  const { streams, cache } = listed();
  const leave = open(cache);
  let tries = 0;
  for (let passed = 0; passed < 60_000; passed += 100) {
    await vi.advanceTimersByTimeAsync(100);
    const stream = streams[tries];
    if (!stream) continue;
    tries++;
    stream.alive();
    stream.say({ end: { status: 502, message: "The API server cannot be reached." } });
  }
  leave();
  await vi.advanceTimersByTimeAsync(100);
  expect(tries).toBeGreaterThan(4);
  expect(tries).toBeLessThan(14);
});

test("a kind that may be listed but not watched is marked out of date, and listed again with its page", async () => {
  const { lists, streams, cache } = listed();
  const leave = open(cache);
  await vi.advanceTimersByTimeAsync(50);
  streams.at(-1)?.say({ end: { status: 403, message: "You may not watch nodes." } });
  await vi.advanceTimersByTimeAsync(50);
  expect([...whatIsOutdated().values()]).toEqual([{ name: "nodes", because: "unwatched" }]);
  leave();
  expect(whatIsOutdated().size).toBe(0);
  const leaveAgain = open(cache);
  await vi.advanceTimersByTimeAsync(50);
  leaveAgain();
  expect(lists).toHaveLength(1);
});

/** A page that shows several selections by one stream, of a server that answers each list as `answer` says. */
function openAll(selections: readonly Selection[], answer: (path: string) => Response) {
  const cache = new QueryClient();
  const streams: { readonly paths: readonly string[]; say(path: string, line?: object): void }[] = [];
  const lists: string[] = [];
  vi.stubGlobal("fetch", async (url: string, { signal }: RequestInit) => {
    if (!url.startsWith("/watch")) {
      lists.push(url);
      return answer(url);
    }
    const paths = new URL(url, "http://console").searchParams.getAll("path");
    let isOpen = true;
    const body = new ReadableStream({
      cancel: () => {
        isOpen = false;
      },
      start(controller) {
        signal?.addEventListener("abort", () => {
          isOpen = false;
          controller.error(signal.reason);
        });
        const say = (part: string, line = {}) => {
          const path = paths.find((path) => path.includes(part));
          if (!isOpen) return;
          controller.enqueue(new TextEncoder().encode(`${JSON.stringify({ path, ...line })}\n`));
        };
        streams.push({ paths, say });
      },
    });
    return new Response(body);
  });
  const stops = selections.map((selection) => {
    cache.setQueryData(listing(selection).queryKey, { resourceVersion: "5", objects: new Map() });
    return follow(cache, selection);
  });
  const outdated = () => [...whatIsOutdated().values()].map(({ name, because }) => `${name} ${because}`);
  const leave = () => {
    for (const stop of stops.splice(0)) stop();
  };
  leaving.push(leave);
  return { cache, streams, lists, outdated, leave };
}

const tooOld = { event: { type: "ERROR", object: { code: 410 } } };
const both = [selection, { kind: Pod }];

test("a kind that must be listed again, and may not be, leaves the others their watch", async () => {
  const { streams, outdated } = openAll(both, () => Response.json({ message: "No." }, { status: 403 }));
  await vi.advanceTimersByTimeAsync(50);
  streams.at(-1)?.say("/nodes", tooOld);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(streams.at(-1)?.paths).toEqual([expect.stringContaining("/pods")]);
  streams.at(-1)?.say("/pods");
  await vi.advanceTimersByTimeAsync(60);
  expect(outdated()).toEqual(["nodes unwatched"]);
});

test("a kind that cannot be listed again now is tried again, beside the watches of the others", async () => {
  let isAway = true;
  const { cache, streams, lists, outdated } = openAll(both, () =>
    isAway
      ? Response.json({ message: "Too many requests." }, { status: 429 })
      : Response.json({ metadata: { resourceVersion: "9" }, items: [node("new", "8")] }),
  );
  await vi.advanceTimersByTimeAsync(50);
  streams.at(-1)?.say("/nodes", tooOld);
  for (let passed = 0; passed < 300; passed++) {
    await vi.advanceTimersByTimeAsync(1_000);
    streams.at(-1)?.say("/pods");
  }
  expect(streams.at(-1)?.paths).toEqual([expect.stringContaining("/pods")]);
  expect(outdated()).toEqual(["nodes away"]);
  expect(lists.length).toBeGreaterThan(10);
  expect(lists.length).toBeLessThan(30);
  isAway = false;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(streams.at(-1)?.paths).toHaveLength(2);
  streams.at(-1)?.say("/nodes");
  streams.at(-1)?.say("/pods");
  await vi.advanceTimersByTimeAsync(60);
  expect([...(cache.getQueryData(listing(selection).queryKey)?.objects.keys() ?? [])]).toEqual(["new"]);
  expect(outdated()).toEqual([]);
});

test("of two selections with kinds of one plural, one that is up to date does not stand for the other", async () => {
  const knative = { kind: { ...Node, apiVersion: "serving.knative.dev/v1", plural: "services" } };
  const core = { kind: { ...Node, plural: "services" } };
  const one = { ...core, fieldSelector: "metadata.name=one" };
  const { streams, outdated, leave } = openAll([knative, core, one], () => Response.json({}, { status: 500 }));
  await vi.advanceTimersByTimeAsync(50);
  streams.at(-1)?.say("/serving.knative.dev/", { end: { status: 403, message: "No." } });
  streams.at(-1)?.say("/v1/services?watch");
  streams.at(-1)?.say("/v1/services?fieldSelector");
  await vi.advanceTimersByTimeAsync(50);
  expect(outdated()).toEqual(["services unwatched"]);
  leave();
  expect(outdated()).toEqual([]);
});

test("a connection keeps no listener of each pause, however often it is tried again", async () => {
  const kept = new Map<EventTarget, number>();
  const count = (by: number, method: "addEventListener" | "removeEventListener") => {
    const original = EventTarget.prototype[method];
    const spy = vi.spyOn(AbortSignal.prototype, method).mockImplementation(function (
      this: EventTarget,
      ...given: Parameters<EventTarget["addEventListener"]>
    ) {
      kept.set(this, (kept.get(this) ?? 0) + by);
      original.apply(this, given);
    });
    onTestFinished(() => spy.mockRestore());
  };
  count(1, "addEventListener");
  count(-1, "removeEventListener");
  const { streams } = openAll([selection], () => Response.json({}, { status: 500 }));
  for (let passed = 0; passed < 600; passed++) {
    await vi.advanceTimersByTimeAsync(1_000);
    if (passed % 20 === 0) streams.at(-1)?.say("/nodes", { end: { status: 502 } });
  }
  expect(streams.length).toBeGreaterThan(10);
  expect(Math.max(...kept.values())).toBeLessThan(3);
});
