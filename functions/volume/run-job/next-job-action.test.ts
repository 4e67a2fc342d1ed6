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
  test.each<Row>([
    ["begun when the minion answers", firstJob, node(true), { do: "begin", attempt: 1 }],
    [
      "begun again when its pause is over",
      { ...job, attempt: 3, resumes: now },
      node(true),
      { do: "begin", attempt: 3 },
    ],
    ["left alone in its pause", { ...job, resumes: now + 1 }, node(true), { do: "pause" }],
    [
      "left alone in its pause, also when the minion is silent",
      { ...job, resumes: now + 1 },
      node(false),
      { do: "pause" },
    ],
    [
      "begun when no clock could have written its pause",
      { ...job, resumes: now + longestPause + 1 },
      node(true),
      { do: "begin" },
    ],
    [
      "not begun while the minion is silent",
      firstJob,
      node(false),
      { do: "wait", step: "no-answer", next: now + latest },
    ],
    [
      "waited for while Salt is away",
      job,
      outage("unreachable"),
      { do: "wait", step: "salt-away", next: now + latest },
    ],
    ["waited for while Salt is overloaded", job, outage("overloaded"), { do: "wait", step: "salt-away" }],
    ["waited for while Salt refuses it", job, outage("refused"), { do: "wait", step: "salt-refused" }],
    [
      "not begun while Salt does not let us in",
      firstJob,
      outage("unauthorized"),
      { do: "wait", step: "salt-unauthorized" },
    ],
    [
      "waited for while its post is on its way",
      { ...job, posted: now - 1 },
      unknown(),
      { do: "wait", step: "running", next: now - 1 + grace },
    ],
    ["posted when Salt does not know it", job, unknown(), { do: "post", reposted: false }],
    ["posted when it was posted by a clock that was ahead", { ...job, posted: now + day }, unknown(), { do: "post" }],
    ["not posted while the minion would miss it", job, unknown("unreachable"), { do: "wait", step: "no-answer" }],
    ["begun again, as the same attempt, when Salt has forgotten it", old, unknown(), { do: "begin", attempt: 1 }],
    ["looked at again while it runs", job, pending("running"), { do: "wait", step: "running", next: now + 10_000 }],
    ["looked at ever more seldom", old, pending("running"), { do: "wait", step: "running", next: now + latest }],
    ["waited for while the minion is silent", job, pending("unreachable"), { do: "wait", step: "no-answer" }],
    ["waited for just after its post", { ...job, posted: now - 1 }, pending("absent"), { do: "wait", step: "running" }],
    ["posted once more when the minion may have missed it", job, pending("absent"), { do: "post", reposted: true }],
    ["begun again when it is lost", { ...job, reposted: true }, pending("absent"), { do: "begin", attempt: 2 }],
    [
      "given up when it was lost too often",
      { ...job, reposted: true, attempt: attempts },
      pending("absent"),
      { do: "fail" },
    ],
    ["done", job, seen({ state: "ended", outcome: { end: "success", value: 7 } }), { do: "succeed", value: 7 }],
    [
      "begun again as the same attempt where another one has worked for the Volume all the time",
      job,
      seen({ state: "ended", outcome: { end: "conflict", message: "Another run has been working." } }),
      { do: "begin", attempt: job.attempt },
    ],
    [
      "failed",
      job,
      seen({ state: "ended", outcome: { end: "failure", message: "Full." } }),
      { do: "fail", message: "Full." },
    ],
  ])("%s", (_, job, seen, action) => {
    expect(nextJobAction(job, seen, now)).toMatchObject(action);
  });
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
