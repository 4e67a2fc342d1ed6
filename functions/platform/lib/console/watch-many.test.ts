import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { ApiResponse, Transport } from "../../../../shared/kubernetes/transport.ts";
import { watchMany } from "./watch-many.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const path = "/api/v1/nodes?watch=true";
const second = 1_000;

/** A watch of Nodes for a page. Signs of life of the console alone are not among what the page was sent. */
async function watch(transport: Transport, count = 1) {
  const page = Object.assign(new PassThrough(), { writeHead: () => {} });
  const request = { method: "GET", path, headers: {}, isWatch: true } as const;
  const watches = Array.from({ length: count }, () => ({ path, request }));
  const ended = watchMany(transport, watches, page as unknown as ServerResponse);
  const sent = () =>
    `${page.read() ?? ""}`
      .split("\n")
      .filter((line) => line && line !== "{}")
      .map((line) => JSON.parse(line));
  return { ended, sent };
}

/** Bytes that come when the test says so, and break off with the signal. */
function upstream(signal: AbortSignal | undefined) {
  const body = new PassThrough();
  signal?.addEventListener("abort", () => body.destroy(new Error("aborted")));
  return { body, answer: { status: 200, headers: {}, body, bytes: body } as unknown as ApiResponse };
}

test("a watch that the API server does not answer is not taken for one that lives", async () => {
  const { ended, sent } = await watch(
    ({ signal }) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  );
  await vi.advanceTimersByTimeAsync(29 * second);
  expect(sent()).toEqual([]);
  await vi.advanceTimersByTimeAsync(2 * second);
  await ended;
  expect(sent()).toMatchObject([{ path, end: { status: 502 } }]);
});

test("a watch that says nothing any more ends after three minutes, and one that sends bookmarks goes on", async () => {
  const bodies: PassThrough[] = [];
  const { ended, sent } = await watch(async ({ signal }) => {
    const { body, answer } = upstream(signal);
    bodies.push(body);
    return answer;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(sent()).toEqual([{ path }]);
  const bookmark = { type: "BOOKMARK", object: { metadata: { resourceVersion: "7" } } };
  for (let minute = 0; minute < 5; minute++) {
    bodies[0]?.write(`${JSON.stringify(bookmark)}\n`);
    await vi.advanceTimersByTimeAsync(60 * second);
    expect(sent()).toEqual([{ path, event: bookmark }]);
  }
  await vi.advanceTimersByTimeAsync(130 * second);
  await ended;
  expect(sent()).toMatchObject([{ path, end: { status: 200 } }]);
});

test("all watches of a page may wait until it reads, and then none has lost or mixed up an event", async () => {
  const warnings: string[] = [];
  const warned = ({ message }: Error) => void warnings.push(message);
  process.on("warning", warned);
  onTestFinished(() => void process.off("warning", warned));
  const bodies: PassThrough[] = [];
  const { ended, sent } = await watch(async ({ signal }) => {
    const { body, answer } = upstream(signal);
    bodies.push(body);
    return answer;
  }, 19);
  await vi.advanceTimersByTimeAsync(0);
  const events = bodies.map((_, index) => ({ type: "ADDED", object: { name: `${index}`.repeat(9_000) } }));
  for (const [index, body] of bodies.entries()) {
    const line = `${JSON.stringify(events[index])}\n`;
    body.write(line.slice(0, 4_000));
    body.write(line.slice(4_000) + line.repeat(9));
  }
  const received: { readonly event?: { readonly object: { readonly name: string } } }[] = [];
  while (received.filter(({ event }) => event).length < 190) {
    await new Promise((resolve) => setImmediate(resolve));
    received.push(...sent());
  }
  const names = Map.groupBy(received, ({ event }) => event?.object.name);
  for (const { object } of events) expect(names.get(object.name)).toHaveLength(10);
  expect(warnings).toEqual([]);
  for (const body of bodies) body.end();
  await ended;
});
