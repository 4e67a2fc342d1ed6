import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Node } from "../../shared/kubernetes/kind.ts";
import { whatIsOutdated } from "./connection.ts";
import { follow } from "./follow.ts";
import { listing } from "./use-list.ts";

const selection = { kind: Node };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false, addEventListener: () => {}, removeEventListener: () => {} });
});
afterEach(() => {
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
  return () => {
    forget();
    stop();
  };
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
  expect([...whatIsOutdated()]).toEqual([["nodes", "unwatched"]]);
  leave();
  expect(whatIsOutdated().size).toBe(0);
  const leaveAgain = open(cache);
  await vi.advanceTimersByTimeAsync(50);
  leaveAgain();
  expect(lists).toHaveLength(1);
});
