import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bundle, bundleFor } from "../../bench/budget/bundle.ts";
import { firstAnswer } from "../../bench/budget/first-answer.ts";
import { irrelevantEvent } from "../../bench/budget/irrelevant-event.ts";
import { figuresOf } from "../../bench/process/figures.ts";
import { type Program, startListening } from "../../bench/process/program.ts";
import { interleave, median } from "../../bench/statistics.ts";
import { functionEnvironment } from "../../build/functions/environment.mjs";

let bundles: readonly Bundle[];
beforeAll(async () => {
  bundles = await Promise.all(["platform/console", "pvc-protection/release"].map(bundleFor));
});
afterAll(async () => void (await Promise.all(bundles.map((bundle) => bundle.remove()))));

const programOf = ({ entry }: Bundle, environment: Program["environment"] = {}): Program => ({
  args: [entry],
  environment: { ...functionEnvironment, ...environment },
});

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

test("after 5,000 claims were listed ten times, the console has less than twice the memory of a function", async () => {
  const [console, rule] = bundles as readonly [Bundle, Bundle];
  const api = await serveClaims();
  const running = await startListening(programOf(console, { SIGN_IN: "proxy", API_SERVER: api.url }));
  try {
    const address = `http://127.0.0.1:${running.port}/cluster/api/v1/persistentvolumeclaims?limit=500`;
    for (let pages = 0; pages < 100; pages++) {
      const answer = await fetch(address, { headers: { authorization: "Bearer mine" } });
      expect((await answer.text()).length).toBe(api.page.length);
    }
    const ours = figuresOf(running.pid).rss;
    const theirs = (await firstAnswer(programOf(rule), irrelevantEvent())).rss;
    expect(ours / theirs).toBeLessThan(2);
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
