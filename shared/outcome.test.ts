import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "./kubernetes/api-error.ts";
import { longestReply, type Outcome, outcomeOf, replyTo } from "./outcome.ts";

const outcome = (status: Outcome["status"], message = `It is ${status}.`): Outcome => ({
  result: "failed",
  status,
  message,
});

test("one reply stands for all outcomes: what a retry can still mend comes before what is final", () => {
  const worst = (...all: Outcome["status"][]) => replyTo(all.map((status) => outcome(status))).status;
  expect(worst()).toBe(204);
  expect(worst(204, 204)).toBe(204);
  expect(worst(204, 400)).toBe(400);
  expect(worst(403, 400, 204)).toBe(403);
  expect(worst(403, 503, 400)).toBe(503);
  expect(worst(500, 403)).toBe(500);
});

test("what the API server asks for is passed on: the longest pause, in whole seconds", () => {
  const busy = (retryAfter?: number) =>
    outcomeOf(
      new ApiError("GET /", {
        status: 429,
        reason: "TooManyRequests",
        message: "",
        ...(retryAfter ? { retryAfter } : {}),
      }),
    );
  const pause = (...all: Outcome[]) => replyTo(all).headers["retry-after"];
  expect(pause(busy(1000), outcome(204), busy(2500))).toBe("3");
  expect(pause(busy(), outcome(503))).toBeUndefined();
  expect(pause(outcome(400))).toBeUndefined();
});

test("a 204 has no body, also with a message", () =>
  expect(replyTo([outcome(204, "All is well.")])).toEqual({ status: 204, headers: {}, body: "" }));

test("no reply is longer than what a channel dispatcher survives, and none is cut inside a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 2000 }), (message) => {
      const { body } = replyTo([outcome(503, message)]);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(longestReply);
      expect(message.startsWith(body.replace(/…$/, ""))).toBe(true);
    }),
  );
  expect(Buffer.byteLength(replyTo([outcome(503, "ä".repeat(2000))]).body)).toBeGreaterThan(longestReply - 8);
});
