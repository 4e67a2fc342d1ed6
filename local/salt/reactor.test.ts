import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JobReturned } from "./master.ts";
import { reactTo } from "./reactor.ts";

/** What a real Salt's reactor has posted. */
const file = new URL("../../test/contract/salt/recorded/job-returned.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as { headers: Record<string, string>; body: string };

/** The event on Salt's own bus that it was made of. */
const returned: JobReturned = {
  jid: "20261122152718683913",
  id: "worker-0",
  fun: "metalk8s_volumes.prepare",
  retcode: 0,
  metadata: { volume: "holdfast-tour", uid: "7ba81d38-eb37-4cb8-912e-477857cbd7b9", step: "PrepareVolume" },
  _stamp: "2026-11-22T15:27:19.995526+00:00",
};

test("it posts what a real Salt's reactor posts", () => {
  const event = reactTo(returned);
  const { "user-agent": _, connection, host, "content-length": length, ...headers } = recorded.headers;
  expect(event?.headers).toEqual(headers);
  expect(JSON.parse(event?.body ?? "")).toEqual(JSON.parse(recorded.body));
});

test("nothing is posted for other jobs, and nothing but a name goes into a header", () => {
  expect(reactTo({ ...returned, fun: "test.ping" })).toBeUndefined();
  expect(reactTo({ ...returned, fun: "metalk8s_volumes.unprepare" })).toBeDefined();
  for (const metadata of [undefined, "x", {}]) expect(reactTo({ ...returned, metadata })).toBeUndefined();
  for (const volume of ["x\r\nce-name: other", "Data", "", 7])
    expect(reactTo({ ...returned, metadata: { volume } })).toBeUndefined();
});
