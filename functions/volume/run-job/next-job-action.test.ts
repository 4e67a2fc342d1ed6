import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SystemError } from "../../../shared/system/system-error.ts";
import type { JobView, Whereabouts } from "../lib/salt/job.ts";
import { jid, now } from "../testing/objects.ts";
import { defaultPatience, type Job, type JobAction, nextJobAction, type Observation } from "./next-job-action.ts";

const { grace, latest, longestPause, attempts } = defaultPatience;
const day = 86_400_000;
/** Chosen and posted 20 seconds ago. */
const job: Job = { jid, attempt: 1, posted: now - 20_000, reposted: false };
const firstJob: Job = { attempt: 1, posted: 0, reposted: false };
const old: Job = { ...job, jid: "20260228115940123456", posted: now - day - 20_000 };

const seen = (record: JobView["record"], whereabouts?: Whereabouts): Observation => ({
  of: "job",
  record,
  ...(whereabouts ? { whereabouts } : {}),
});
const pending = (whereabouts: Whereabouts) => seen({ state: "pending" }, whereabouts);
const unknown = (whereabouts: Whereabouts = "absent") => seen({ state: "unknown" }, whereabouts);
const node = (answers: boolean): Observation => ({ of: "node", answers });
const outage = (failure: SystemError["failure"]): Observation => ({
  of: "outage",
  error: new SystemError("Salt", failure, "Salt says so."),
});

type Row = [what: string, job: Job, seen: Observation, action: object];

describe("a job is", () => {
  const leadsTo = (job: Row[1], seen: Row[2], action: Row[3]) =>
    expect(nextJobAction(job, seen, now)).toMatchObject(action);
  test("begun when the minion answers", () => leadsTo(firstJob, node(true), { do: "begin", attempt: 1 }));
  test("begun again when its pause is over", () =>
    leadsTo({ ...job, attempt: 3, resumes: now }, node(true), { do: "begin", attempt: 3 }));
  test("left alone in its pause", () => leadsTo({ ...job, resumes: now + 1 }, node(true), { do: "pause" }));
  test("left alone in its pause, also when the minion is silent", () =>
    leadsTo({ ...job, resumes: now + 1 }, node(false), { do: "pause" }));
  test("begun when no clock could have written its pause", () =>
    leadsTo({ ...job, resumes: now + longestPause + 1 }, node(true), { do: "begin" }));
  test("not begun while the minion is silent", () =>
    leadsTo(firstJob, node(false), { do: "wait", step: "no-answer", next: now + latest }));
  test("waited for while Salt is away", () =>
    leadsTo(job, outage("unreachable"), { do: "wait", step: "salt-away", next: now + latest }));
  test("waited for while Salt is overloaded", () =>
    leadsTo(job, outage("overloaded"), { do: "wait", step: "salt-away" }));
  test("waited for while Salt refuses it", () => leadsTo(job, outage("refused"), { do: "wait", step: "salt-refused" }));
  test("not begun while Salt does not let us in", () =>
    leadsTo(firstJob, outage("unauthorized"), { do: "wait", step: "salt-unauthorized" }));
  test("waited for while its post is on its way", () =>
    leadsTo({ ...job, posted: now - 1 }, unknown(), { do: "wait", step: "running", next: now - 1 + grace }));
  test("posted when Salt does not know it", () => leadsTo(job, unknown(), { do: "post", reposted: false }));
  test("posted when it was posted by a clock that was ahead", () =>
    leadsTo({ ...job, posted: now + day }, unknown(), { do: "post" }));
  test("not posted while the minion would miss it", () =>
    leadsTo(job, unknown("unreachable"), { do: "wait", step: "no-answer" }));
  test("begun again, as the same attempt, when Salt has forgotten it", () =>
    leadsTo(old, unknown(), { do: "begin", attempt: 1 }));
  test("looked at again while it runs", () =>
    leadsTo(job, pending("running"), { do: "wait", step: "running", next: now + 10_000 }));
  test("looked at ever more seldom", () =>
    leadsTo(old, pending("running"), { do: "wait", step: "running", next: now + latest }));
  test("waited for while the minion is silent", () =>
    leadsTo(job, pending("unreachable"), { do: "wait", step: "no-answer" }));
  test("waited for just after its post", () =>
    leadsTo({ ...job, posted: now - 1 }, pending("absent"), { do: "wait", step: "running" }));
  test("posted once more when the minion may have missed it", () =>
    leadsTo(job, pending("absent"), { do: "post", reposted: true }));
  test("begun again when it is lost", () =>
    leadsTo({ ...job, reposted: true }, pending("absent"), { do: "begin", attempt: 2 }));
  test("given up when it was lost too often", () =>
    leadsTo({ ...job, reposted: true, attempt: attempts }, pending("absent"), { do: "fail" }));
  test("done", () =>
    leadsTo(job, seen({ state: "ended", outcome: { end: "success", value: 7 } }), { do: "succeed", value: 7 }));
  test("begun again as the same attempt where another one has worked for the Volume all the time", () =>
    leadsTo(job, seen({ state: "ended", outcome: { end: "conflict", message: "Another run has been working." } }), {
      do: "begin",
      attempt: job.attempt,
    }));
  test("failed", () =>
    leadsTo(job, seen({ state: "ended", outcome: { end: "failure", message: "Full." } }), {
      do: "fail",
      message: "Full.",
    }));
});

const anyJob = fc.record(
  {
    jid: fc.constantFrom(jid, "20260228110000123456"),
    attempt: fc.integer({ min: 1, max: 10 }),
    posted: fc.integer({ min: -day, max: day }).map((age) => now - age),
    reposted: fc.boolean(),
    resumes: fc.integer({ min: -day, max: day }).map((age) => now - age),
  },
  { requiredKeys: ["attempt", "posted", "reposted"] },
) as fc.Arbitrary<Job>;
const anySeen = fc.constantFrom(
  ...(["running", "absent", "unreachable"] as const).flatMap((where) => [pending(where), unknown(where)]),
  ...[true, false].map(node),
  ...(["unreachable", "overloaded", "unauthorized", "refused"] as const).map(outage),
  seen({ state: "ended", outcome: { end: "success", value: 1 } }),
  seen({ state: "ended", outcome: { end: "failure", message: "Full." } }),
);

describe("always", () => {
  test("another id is chosen only where the one in hand can do nothing any more", () => {
    fc.assert(
      fc.property(anyJob, anySeen, (job, seen) => {
        if (seen.of !== "job" || nextJobAction(job, seen, now).do !== "begin") return;
        const { record, whereabouts } = seen;
        const isLost = record.state === "pending" && whereabouts === "absent" && job.reposted;
        expect(isLost || (record.state === "unknown" && job.jid !== jid)).toBe(true);
      }),
    );
  });

  test("a job that may run is waited for", () => {
    fc.assert(
      fc.property(anyJob, fc.constantFrom<Whereabouts>("running", "unreachable"), (job, whereabouts) => {
        expect(nextJobAction(job, pending(whereabouts), now).do).toBe("wait");
      }),
    );
  });

  test("a wait ends soon, and says why in a whole sentence", () => {
    fc.assert(
      fc.property(anyJob, anySeen, (job, seen) => {
        const action = nextJobAction(job, seen, now);
        if (action.do !== "wait") return;
        expect(action.next).toBeGreaterThan(now);
        expect(action.next - now).toBeLessThanOrEqual(latest);
        expect(action.message).toMatch(/^[A-Z].*\.$/);
      }),
    );
  });

  test("a job that Salt swallows again and again is given up after its attempts, each posted twice", () => {
    const done: JobAction["do"][] = [];
    let given: Job = job;
    for (let time = now; done.at(-1) !== "fail"; time += 60_000) {
      const action = nextJobAction(given, pending("absent"), time);
      done.push(action.do);
      if (action.do === "post") given = { ...given, posted: time, reposted: true };
      if (action.do === "begin") given = { ...given, attempt: action.attempt, posted: time, reposted: false };
    }
    const row = Array.from({ length: attempts }, () => ["post", "begin"]).flat();
    expect(done).toEqual([...row.slice(0, -1), "fail"]);
  });
});
