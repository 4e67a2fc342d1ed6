import { expect, test } from "vitest";
import { virtualClock } from "../time/testing/virtual-clock.ts";
import { play, type Step } from "./play.ts";

/** A terminal that keeps what is printed. */
function harness() {
  const lines: string[] = [];
  const terminal = {
    width: 60,
    paint: (_: unknown, text: string) => text,
    print: (line: string) => void lines.push(line),
  };
  const clock = virtualClock();
  const stop = new AbortController();
  const step = (title: string, ...proofs: Step["proofs"]): Step => ({
    title,
    text: `${title} happens.`,
    act: async () => {},
    proofs,
  });
  const playing = (...chapters: Step[][]) => {
    const played = play(
      chapters.map((steps) => ({ title: "Chapter", steps })),
      { terminal, clock, signal: stop.signal, patience: 1000 },
    );
    return { played, lines };
  };
  return { clock, stop, step, playing };
}

test("each proof is waited for and printed with the time it took; a text it returns is shown beneath", async () => {
  const { clock, step, playing } = harness();
  let tries = 0;
  const late = { what: "the claim is gone", check: async () => ++tries > 3 };
  const { played, lines } = playing([
    step("A deletion", { what: "the claim is Terminating", check: async () => "held by writer" }, late),
    step("The end"),
  ]);
  await clock.advance(5000);
  expect(await played).toBe(true);
  expect(lines).toEqual([
    "",
    " Chapter ",
    "",
    "1. A deletion",
    "   A deletion happens.",
    "   ok the claim is Terminating (0.0 s)\n      held by writer",
    "   ok the claim is gone (0.1 s)",
    "",
    "2. The end",
    "   The end happens.",
  ]);
});

test("the first proof that does not come true ends the tour, and no chapter follows", async () => {
  const { clock, step, playing } = harness();
  const { played, lines } = playing(
    [step("A deletion", { what: "the claim is gone", check: async () => false }), step("The end")],
    [step("Another beginning")],
  );
  await clock.advance(5000);
  expect(await played).toBe(false);
  expect(lines.at(-1)).toBe("   no This did not come true within 1.1 s: the claim is\n      gone.");
});

test("a tour that is interrupted rejects", async () => {
  const { clock, stop, step, playing } = harness();
  const { played } = playing([step("A deletion", { what: "the claim is gone", check: async () => false })]);
  const rejected = expect(played).rejects.toThrow("Enough.");
  await clock.advance(100);
  stop.abort(new Error("Enough."));
  await rejected;
});

test("a tour that is interrupted does not wait for a proof that no stand-in answers any more", async () => {
  const { clock, stop, step, playing } = harness();
  const { played } = playing([step("A deletion", { what: "the claim is gone", check: () => new Promise(() => {}) })]);
  const rejected = expect(played).rejects.toThrow("Enough.");
  await clock.advance(100);
  stop.abort(new Error("Enough."));
  await rejected;
});
