import { expect, test } from "vitest";
import { decisionLine, isLogRecord } from "./decision-line.ts";
import { wrap } from "./wrap.ts";

const plain = { paint: (_: unknown, text: string) => text };
const record = {
  level: "info",
  time: "2026-01-01T00:00:00.000Z",
  rule: "pvc-protection/release",
  events: ["e1", "e2"],
  object: "PersistentVolumeClaim shop/data",
  uid: "u1",
  decision: "wait",
  msg: "Claim data is kept, because pod writer on node laptop uses it; it goes when no pod uses it any more.",
};

test("a terminal of 80 columns gets the sentence wrapped beside its column", () => {
  const line = decisionLine(record, { ...plain, width: 80 });
  expect(line).toBe(
    [
      "  release  wait   claim shop/data: Claim data is kept, because pod writer on",
      "                  node laptop uses it; it goes when no pod uses it any more.",
    ].join("\n"),
  );
  for (const row of line.split("\n")) expect(row.length).toBeLessThanOrEqual(80);
});

test("a pipe gets one line with everything", () => {
  expect(decisionLine(record, plain)).toBe(
    "  release  wait   claim shop/data: Claim data is kept, because pod writer on node laptop uses it; it goes " +
      "when no pod uses it any more. [uid u1, event e1, e2]",
  );
});

test("a failure shows the status that the broker was given", () => {
  const failed = {
    level: "error",
    rule: "pvc-protection/protect",
    subject: "PersistentVolumeClaim shop data",
    status: 503,
    msg: "No answer.",
  };
  expect(decisionLine(failed, plain)).toBe("  protect  503    PersistentVolumeClaim shop data: No answer.");
});

test("only what looks like the kit's is one of its records", () => {
  expect([record, { msg: "a" }, { level: "info" }, null, 1, "level msg"].map(isLogRecord)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("a word longer than the line stays whole", () =>
  expect(wrap(`see ${"x".repeat(90)} there`, 2, 40)).toBe(`see\n  ${"x".repeat(90)}\n  there`));
