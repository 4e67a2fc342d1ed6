import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jid, now, progress, volume } from "../testing/objects.ts";
import { follow, isFollowed, type LookAtJob } from "./follow.ts";

const rule = "volume/settle";
const noted = (step: string, more: object = {}) => volume({ annotations: progress(rule, step, { jid, ...more }) });
const at = (ms: number) => new Date(now + ms).toISOString();
const unknown: LookAtJob = { record: { state: "unknown" } };
const pending = (whereabouts: "running" | "absent" | "unreachable"): LookAtJob => ({
  record: { state: "pending" },
  whereabouts,
});
const conflict: LookAtJob = { record: { state: "ended", outcome: { end: "conflict", because: "PID 7 is running." } } };

describe("a job", () => {
  test.each<[string, ReturnType<typeof volume>, LookAtJob, object]>([
    ["that runs", volume(), pending("running"), { do: "wait", step: { name: "running", attempt: 1 } }],
    ["whose minion is silent", volume(), pending("unreachable"), { do: "wait", step: { name: "no-answer" } }],
    [
      "that Salt does not know",
      volume(),
      unknown,
      { do: "post", step: { name: "posted", details: { jid, posted: now } } },
    ],
    [
      "that Salt does not know, posted a moment ago",
      noted("posted", { posted: now - 1000 }),
      unknown,
      { do: "wait", next: now + 9000 },
    ],
    [
      "that is nowhere",
      volume(),
      pending("absent"),
      { do: "post", step: { name: "posted", details: { jid, posted: now, reposted: true } } },
    ],
    [
      "that is nowhere after it was posted again",
      noted("posted", { posted: now - 11_000, reposted: true, attempt: 2 }),
      pending("absent"),
      { do: "renew", attempt: 3 },
    ],
    [
      "that is lost for the fifth time",
      noted("posted", { posted: now - 11_000, reposted: true, attempt: 5 }),
      pending("absent"),
      { do: "give up" },
    ],
    [
      "whose next attempt was noted, and not begun",
      noted("posted", { jid: "20260301115950000000", attempt: 4 }),
      pending("running"),
      { do: "wait", step: { attempt: 3 } },
    ],
    ["that met another run", volume(), conflict, { do: "wait", step: { name: "conflict", attempt: 1 } }],
    ["whose pause goes on", noted("conflict", { next: at(3000) }), conflict, { do: "wait", next: now + 3000 }],
    ["whose pause is over", noted("conflict", { next: at(0), attempt: 4 }), conflict, { do: "renew", attempt: 4 }],
    [
      "posted by a clock that was an hour ahead",
      noted("posted", { posted: now + 3_600_000 }),
      pending("absent"),
      { do: "post" },
    ],
    [
      "posted by a clock that was a little ahead",
      noted("posted", { posted: now + 2000 }),
      pending("absent"),
      { do: "wait", next: now + 12_000 },
    ],
    [
      "that another job's note is about",
      volume({ annotations: progress(rule, "posted", { jid: "20260301115900000000", attempt: 5, reposted: true }) }),
      pending("absent"),
      { do: "post", step: { attempt: 1 } },
    ],
  ])("%s", (_, object, seen, expected) => {
    expect(follow(object, rule, jid, seen, now)).toMatchObject(expected);
  });

  test("is followed once its note says when to look again", () => {
    expect(isFollowed(noted("running", { next: at(5000) }), rule, jid)).toBe(true);
    expect(isFollowed(noted("running"), rule, jid)).toBe(false);
    expect(isFollowed(noted("running", { next: at(5000) }), rule, "20260301115900000000")).toBe(false);
    expect(isFollowed(volume(), rule, jid)).toBe(false);
  });
});

test("whatever is written down, a look again changes nothing before its time", () => {
  const seen = fc.constantFrom(unknown, pending("running"), pending("absent"), pending("unreachable"), conflict);
  const note = fc.record({
    step: fc.constantFrom("running", "posted", "conflict", "no-answer", "refused"),
    next: fc.option(fc.integer({ min: -60_000, max: 7_200_000 }), { nil: undefined }),
    posted: fc.integer({ min: now - 100_000, max: now + 7_200_000 }),
    reposted: fc.boolean(),
    attempt: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(seen, note, fc.integer({ min: 0, max: 4000 }), (seen, { step, next, ...more }, later) => {
      const object = noted(step, { ...more, ...(next === undefined ? {} : { next: at(next) }) });
      const first = follow(object, rule, jid, seen, now);
      if (first.do !== "wait") return;
      const { details, ...named } = first.step;
      const written = noted(named.name, {
        attempt: named.attempt,
        ...details,
        next: new Date(first.next).toISOString(),
      });
      if (now + later >= first.next) return;
      expect(follow(written, rule, jid, seen, now + later)).toMatchObject({
        do: "wait",
        step: first.step,
        next: first.next,
      });
    }),
    { numRuns: 1000 },
  );
});

test("no wait is longer than two minutes", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -86_400_000, max: 86_000_000 }),
      fc.constantFrom("running", "absent", "unreachable" as const),
      (ms, where) => {
        const next = follow(volume(), rule, jid, pending(where as "running"), now + ms);
        if (next.do === "wait") expect(next.next - now - ms).toBeLessThanOrEqual(120_000);
      },
    ),
  );
});
