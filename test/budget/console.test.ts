import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bundle, bundleFor } from "../../bench/budget/bundle.ts";
import { firstAnswer } from "../../bench/budget/first-answer.ts";
import { irrelevantEvent } from "../../bench/budget/irrelevant-event.ts";
import { figuresOf } from "../../bench/process/figures.ts";
import { type Program, startListening } from "../../bench/process/program.ts";
import { interleave, median } from "../../bench/statistics.ts";
import { functionEnvironment } from "../../build/functions/environment.mjs";
import { certificates } from "../../shared/kubernetes/testing/certificates.ts";
import { tlsServer } from "../../shared/kubernetes/testing/tls-server.ts";

let bundles: readonly Bundle[];
beforeAll(async () => {
  bundles = await Promise.all(["platform/console", "pvc-protection/release"].map(bundleFor));
});
afterAll(async () => void (await Promise.all(bundles.map((bundle) => bundle.remove()))));

const programOf = ({ entry }: Bundle, environment: Program["environment"] = {}): Program => ({
  args: [entry],
  environment: { ...functionEnvironment, ...environment },
});

/** The memory of a function after its first event, in bytes: the median of five starts. */
async function memoryOf(rule: Bundle): Promise<number> {
  const answers = await interleave(5, [programOf(rule)], (program) => firstAnswer(program, irrelevantEvent()));
  return median(answers.flat().map(({ rss }) => rss));
}

/** A page of 500 claims, of about a megabyte, again and again. */
async function serveClaims() {
  const annotations = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`a-${index}`, "x".repeat(80)]));
  const items = Array.from({ length: 500 }, (_, index) => ({ metadata: { name: `data-${index}`, annotations } }));
  const page = JSON.stringify({ kind: "PersistentVolumeClaimList", metadata: {}, items });
  const server = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(page);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, page, close: () => server.close() };
}

/** How many watches pages have: the overview, claims, evictions, satellites, an object, volumes, kept volumes. */
const watches = [19, 7, 9, 5, 4, 2, 2];

/** Holds watches open, and sends events to all of them. */
async function serveWatches() {
  const open = new Set<ServerResponse>();
  const server = await tlsServer((_, response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
  });
  const AUTHORITY = await server.write("ca.crt", certificates.authority);
  const object = { metadata: { name: "data", namespace: "shop", annotations: { a: "x".repeat(2_000) } } };
  const event = `${JSON.stringify({ type: "MODIFIED", object })}\n`;
  const say = (events: number) => {
    for (const watch of open) watch.write(event.repeat(events));
  };
  return { environment: { API_SERVER: server.url, AUTHORITY }, open, say, close: server.close };
}

/** Opens the watches of a page, and counts the events that come. */
async function openPage(port: number, watches: number, gone: AbortSignal, count: (events: number) => void) {
  const path = (index: number) => encodeURIComponent(`/api/v1/pods?watch=true&resourceVersion=${index}`);
  const query = Array.from({ length: watches }, (_, index) => `path=${path(index)}`).join("&");
  const headers = { authorization: "Bearer mine" };
  const page = await fetch(`http://127.0.0.1:${port}/watch?${query}`, { headers, signal: gone });
  const lines = createInterface({ input: Readable.fromWeb(page.body as WebStream) });
  for await (const line of lines) count(line.includes('"MODIFIED"') ? 1 : 0);
}

test("with the watches of 20 pages open, the console has less than twice the memory of a function", async () => {
  const [console, rule] = bundles as readonly [Bundle, Bundle];
  const api = await serveWatches();
  const running = await startListening(programOf(console, { SIGN_IN: "proxy", ...api.environment }));
  const gone = new AbortController();
  const pages = Array.from({ length: 20 }, (_, index) => watches[index % watches.length] as number);
  const all = pages.reduce((sum, one) => sum + one, 0);
  let events = 0;
  try {
    const count = (more: number) => {
      events += more;
    };
    const ended = Promise.allSettled(pages.map((watches) => openPage(running.port, watches, gone.signal, count)));
    await expect.poll(() => api.open.size, { timeout: 60_000 }).toBe(all);
    const ours: number[] = [];
    for (let round = 1; round <= 10; round++) {
      api.say(10);
      await expect.poll(() => events, { timeout: 60_000 }).toBe(all * 10 * round);
      ours.push(figuresOf(running.pid).rss);
    }
    expect(median(ours.slice(-5)) / (await memoryOf(rule))).toBeLessThan(2);
    gone.abort();
    await ended;
    await expect.poll(() => api.open.size, { timeout: 60_000 }).toBe(0);
  } finally {
    gone.abort();
    await running.kill();
    await api.close();
  }
});

test("after 5,000 claims were listed ten times, the console has less than twice the memory of a function", async () => {
  const [console, rule] = bundles as readonly [Bundle, Bundle];
  const api = await serveClaims();
  const running = await startListening(programOf(console, { SIGN_IN: "proxy", API_SERVER: api.url }));
  try {
    const address = `http://127.0.0.1:${running.port}/cluster/api/v1/persistentvolumeclaims?limit=500`;
    const ours: number[] = [];
    for (let pages = 0; pages < 100; pages++) {
      const answer = await fetch(address, { headers: { authorization: "Bearer mine" } });
      expect((await answer.text()).length).toBe(api.page.length);
      ours.push(figuresOf(running.pid).rss);
    }
    expect(median(ours.slice(-50)) / (await memoryOf(rule))).toBeLessThan(2);
  } finally {
    await running.kill();
    api.close();
  }
});

test("the console starts in less than three times the time of a function", async () => {
  const [console, rule] = bundles as readonly [Bundle, Bundle];
  const ready = Buffer.from("GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const subjects = [
    { program: programOf(console, { API_SERVER: "http://127.0.0.1:9" }), request: ready },
    { program: programOf(rule), request: irrelevantEvent() },
  ];
  const [ours = [], theirs = []] = await interleave(6, subjects, ({ program, request }) =>
    firstAnswer(program, request),
  );
  const ratio = median(ours.map(({ time }) => time)) / median(theirs.map(({ time }) => time));
  expect(ratio).toBeLessThan(3);
});
