import { describe, expect, test } from "vitest";
import { readOptions } from "./options.ts";

const read = (...args: string[]) => readOptions(args, 42);

describe("the command line", () => {
  test("runs every scenario from a fresh number on", () => {
    expect(read()).toMatchObject({ first: 42, runs: 1000, loseAllEvents: false, exhaustive: false, story: false });
  });

  test("tells the story of one number of one scenario", () => {
    expect(read("--seed", "7", "--scenario", "replaced")).toMatchObject({ first: 7, runs: 1, story: true });
    expect(read("--seed", "7").story).toBe(false);
  });

  test("goes on for ever when asked to", () => {
    expect(read("--forever").runs).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([
    [["--runs", "x"], '--runs takes a whole number of 1 or more, not "x".'],
    [["--runs", "0"], '--runs takes a whole number of 1 or more, not "0".'],
    [["--seed", "-1"], /seed/],
    [["--scenario", "nix"], /No scenario is called nix. There are .*replaced/],
    [["--forever", "--runs", "3"], "--forever and --runs exclude each other."],
    [["--exhaustive", "--forever"], /--exhaustive/],
    [["--loose"], /--loose/],
  ])("refuses %j", (args, because) => {
    expect(() => read(...args)).toThrow(because);
  });
});
