import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createRecorder, readRecordings, shown, stepsIn, writeRecordings } from "./testing/recording.ts";
import { runStart } from "./testing/run-start.ts";

// At a load of 25 on two cores the tours took longer than three minutes, and that of evictions comes on top.
vi.setConfig({ testTimeout: 900_000 });

/** Set, the recordings of docs/tours.md are made again. */
const records = process.env.HOLDFAST_RECORDINGS === "1";

let temporary: string;

beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), "tours-test-"));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

test("the tours come true as docs/tours.md shows them, plain in a pipe, and leave nothing behind", async () => {
  const recorder = createRecorder();
  // Functions that stay longer between the steps start less often: most of a tour's time is their starting.
  const { code, out, err } = await runStart(["--tour-only", "--idle", "10"], temporary, recorder.hear);
  expect(err).toBe("");
  expect(code, out).toBe(0);
  for (const line of [
    "ok claim data carries holdfast.dev/pvc-protection",
    "ok claim archive carries the finalizer as it is created",
    "ok no function was called, and none woke",
    "ok its annotation says who holds it",
    "ok an Event warns pod reader: ClaimBeingDeleted",
    "ok claim data is gone",
    "ok its persistentVolumeClaimRetentionPolicy is Delete for both",
    "ok claim data-web-2 is gone",
    "ok claim data-web-1 is there, and has no owner",
    "ok claims data-web-0 and data-web-1 belong to the set",
    "ok claims data-web-0 and data-web-1 are gone",
    "ok 4. its user has started elsewhere",
    "ok 9. satellite and LINSTOR's node are gone, and the volume has two good copies",
    "ok Volume holdfast-tour is Available",
    "ok claim data is bound to holdfast-tour",
    "ok an Event says that the deletion waits",
    "ok Volume holdfast-tour is gone",
    "ok the node has nothing of it",
    "ok each was moved once",
    "ok it waits for both locks",
    "ok another L3 agent has the router",
    "ok only then nova-compute is forced down in Nova",
    "ok each of them once",
    "ok every function is back at zero",
  ])
    expect(out).toContain(line);
  const recordings = recorder.recordings();
  if (records) writeRecordings(recordings);
  const stepsOf = (texts: Iterable<readonly [string, string]>) =>
    Object.fromEntries([...texts].map(([title, text]) => [title, stepsIn(text)]));
  expect(stepsOf([...recordings].map(([title, lines]) => [title, shown(lines)]))).toEqual(stepsOf(readRecordings()));
  expect(out).toMatch(/ protect +write +claim holdfast-tour\/data: /);
  expect(out).toMatch(/ release +wait +claim holdfast-tour\/data: .*pod writer on node/);
  expect(out).toMatch(/ release +asleep /);
  expect(out).toMatch(/ sync-policy +write +set holdfast-tour\/web: /);
  expect(out).toMatch(/ set-owner +asleep /);
  expect(out).not.toContain("\u001b");
  expect(readdirSync(temporary)).toEqual([]);
});

test("an eviction comes to its end, each server moved once, while its functions die again and again", async () => {
  // Each function listens before it dies, and then for as long as its start took: a machine that starts it slowly also
  // runs it slowly. One dies at a time, because the starts of all would take the whole machine.
  const awake = new Map<string, { readonly at: number; readonly startMs: number }>();
  let heard = 0;
  let next = 0;
  let dead = 0;
  const killer = setInterval(() => {
    if (Date.now() < next) return;
    for (const { pid, revision } of processesOf("eviction")) {
      const { at, startMs } = awake.get(revision) ?? { at: Number.POSITIVE_INFINITY, startMs: 0 };
      if (Date.now() - at < Math.max(1000, startMs)) continue;
      process.kill(pid, "SIGKILL");
      awake.delete(revision);
      dead += 1;
      next = Date.now() + startMs;
      return;
    }
  }, 200);
  const { code, out } = await runStart(["--tour", "eviction"], temporary, (out, kill) => {
    const lines = out.slice(heard, out.lastIndexOf("\n") + 1);
    heard += lines.length;
    for (const [, revision = "", ms] of lines.matchAll(/ (eviction-\S+) listens after (\d+) ms/g))
      awake.set(revision, { at: Date.now(), startMs: Number(ms) });
    if (out.includes("ok each was moved once")) kill("SIGINT");
  }).finally(() => clearInterval(killer));
  expect(code, out).toBe(0);
  expect(out).toContain("ok each was moved once");
  expect(out).toContain("was ended by SIGKILL");
  expect(dead).toBeGreaterThan(5);
  expect(readdirSync(temporary)).toEqual([]);
});

/** The processes of a system's functions in this test's folder: at any moment some of them end by themselves. */
function processesOf(system: string): readonly { readonly pid: number; readonly revision: string }[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const command = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
      const revision = command.match(`/revisions/(${system}-[^/\0]+)`)?.[1];
      return command.includes(temporary) && revision !== undefined ? [{ pid: Number(pid), revision }] : [];
    } catch {
      return [];
    }
  });
}

test.each([
  ["satellite", "Four nodes with storage"],
  ["eviction", "A stand-in for OpenStack"],
])("Ctrl-C while the stand-ins of the tour %s begin ends the run, and leaves nothing behind", async (tour, begins) => {
  const { code, err } = await runStart(["--tour", tour], temporary, (out, kill) => {
    if (out.includes(begins)) setTimeout(kill, 500, "SIGINT");
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(readdirSync(temporary)).toEqual([]);
});
