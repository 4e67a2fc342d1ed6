import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultPatience, type JobSeen, nextStep, type Whereabouts } from "./job.ts";

const now = Date.parse("2026-11-22T10:30:00Z");
const jid = "20261122103000000500";
const seen = (rest: Partial<JobSeen>): JobSeen => ({
  jid,
  record: { state: "pending" },
  since: now - 60_000,
  posted: now - 60_000,
  reposted: false,
  attempt: 1,
  ...rest,
});
const day = 86_400_000;

describe("what was observed of Salt, and what is to be done", () => {
  test.each<[string, Partial<JobSeen>, object]>([
    ["the post may not have arrived", { record: { state: "unknown" } }, { do: "post" }],
    ["nor the second one", { record: { state: "unknown" }, reposted: true }, { do: "post" }],
    ["the master has forgotten it", { record: { state: "unknown" }, since: now - day }, { do: "again", at: now }],
    ["it runs", { whereabouts: "running" }, { do: "wait", at: now + 30_000 }],
    ["it has just begun", { whereabouts: "running", since: now }, { do: "wait", at: now + 5000 }],
    [
      "it has been running for hours",
      { whereabouts: "running", since: now - 10_000_000 },
      { do: "wait", at: now + 60_000 },
    ],
    ["the node is down", { whereabouts: "unreachable" }, { do: "wait", at: now + 30_000 }],
    ["the node was not asked", {}, { do: "wait", at: now + 30_000 }],
    ["it was posted a moment ago", { whereabouts: "absent", posted: now - 1000 }, { do: "wait", at: now + 9000 }],
    ["the minion has missed it, or was restarted", { whereabouts: "absent" }, { do: "repost" }],
    [
      "it was reposted a moment ago",
      { whereabouts: "absent", reposted: true, posted: now - 1 },
      { do: "wait", at: now + 9999 },
    ],
    [
      "its process was killed, or the master was away at its end",
      { whereabouts: "absent", reposted: true },
      { do: "renew" },
    ],
    ["that was the last attempt", { whereabouts: "absent", reposted: true, attempt: 5 }, { do: "give up" }],
    [
      "other states run",
      { record: { state: "ended", outcome: { end: "conflict", because: "Busy" } } },
      { do: "again", at: now + 7500, because: "Busy." },
    ],
    [
      "it succeeded",
      { record: { state: "ended", outcome: { end: "success", value: 1, states: [] } } },
      { do: "settle", outcome: { end: "success", value: 1, states: [] } },
    ],
    [
      "it failed",
      { record: { state: "ended", outcome: { end: "failure", because: "Full." } } },
      { do: "settle", outcome: { end: "failure", because: "Full." } },
    ],
  ])("%s", (_, rest, step) => {
    expect(nextStep(seen(rest), now)).toMatchObject(step);
  });
});

const anySeen = fc.record<JobSeen>({
  jid: fc.integer({ min: 0, max: 999_999 }).map((end) => `20261122103000${String(end).padStart(6, "0")}`),
  record: fc.constantFrom<JobSeen["record"]>(
    { state: "unknown" },
    { state: "pending" },
    { state: "ended", outcome: { end: "success", value: 1, states: [] } },
    { state: "ended", outcome: { end: "failure", because: "Full." } },
    { state: "ended", outcome: { end: "conflict", because: "Busy." } },
  ),
  whereabouts: fc.constantFrom<Whereabouts>("running", "absent", "unreachable"),
  since: fc.integer({ min: 0, max: 2 * day }).map((age) => now - age),
  posted: fc.integer({ min: 0, max: 2 * day }).map((age) => now - age),
  reposted: fc.boolean(),
  attempt: fc.integer({ min: 1, max: 10 }),
});

describe("always", () => {
  test("another id is chosen only where the old one runs nothing any more, and can bring nothing", () => {
    fc.assert(
      fc.property(anySeen, (seen) => {
        const step = nextStep(seen, now);
        if (step.do !== "renew" && step.do !== "give up" && step.do !== "again") return;
        const { record, whereabouts, reposted } = seen;
        const conflict = record.state === "ended" && record.outcome.end === "conflict";
        const lost = record.state === "pending" && whereabouts === "absent" && reposted;
        const forgotten = record.state === "unknown" && now - seen.since >= day;
        expect(step.do === "again" ? conflict || forgotten : lost).toBe(true);
      }),
    );
  });

  test("a job that runs, or that may run on a node which does not answer, is waited for", () => {
    fc.assert(
      fc.property(anySeen, fc.constantFrom<Whereabouts>("running", "unreachable"), (seen, whereabouts) => {
        const step = nextStep({ ...seen, record: { state: "pending" }, whereabouts }, now);
        expect(step.do).toBe("wait");
      }),
    );
  });

  test("whoever waits waits for a time to come, and not for long", () => {
    fc.assert(
      fc.property(anySeen, (seen) => {
        const step = nextStep(seen, now);
        if (step.do !== "wait") return;
        expect(step.at).toBeGreaterThan(now);
        expect(step.at - now).toBeLessThanOrEqual(defaultPatience.latest);
        expect(step.because).toMatch(/^[A-Z].*\.$/);
      }),
    );
  });

  test("an id is posted again once after it was seen to be absent, and an attempt more costs a new id", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), (attempts) => {
        // A Salt that swallows everything: what is done must come to an end.
        const steps: string[] = [];
        let [time, job] = [now, seen({ whereabouts: "absent", posted: now, since: now })];
        for (;;) {
          const step = nextStep(job, time, { ...defaultPatience, attempts });
          if (step.do === "wait") time = step.at;
          else steps.push(step.do);
          if (step.do === "repost") job = { ...job, reposted: true, posted: time };
          if (step.do === "renew")
            job = { ...job, reposted: false, posted: time, since: time, attempt: job.attempt + 1 };
          if (step.do === "give up") break;
          expect(time - now).toBeLessThan(day);
        }
        const rounds = Array.from({ length: attempts - 1 }, () => ["repost", "renew"]).flat();
        expect(steps).toEqual([...rounds, "repost", "give up"]);
      }),
    );
  });

  test("those who collided do not all come back at once", () => {
    const record = { state: "ended", outcome: { end: "conflict", because: "Busy." } } as const;
    const times = new Set(
      Array.from({ length: 20 }, (_, index) => {
        const step = nextStep(seen({ record, jid: `202611221030000${String(index * 4999).padStart(5, "0")}` }), now);
        return step.do === "again" && step.at - now;
      }),
    );
    expect(times.size).toBeGreaterThan(15);
    for (const time of times) expect(time).toBeGreaterThanOrEqual(defaultPatience.soonest);
    for (const time of times) expect(time).toBeLessThanOrEqual(2 * defaultPatience.soonest);
  });
});
