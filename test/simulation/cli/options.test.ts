import { describe, expect, test } from "vitest";
import { mutants } from "../systems.ts";
import { readOptions } from "./options.ts";

const read = (...args: string[]) => readOptions(args, 42);

describe("the command line", () => {
  test("runs every scenario from a fresh number on", () =>
    expect(read()).toMatchObject({ first: 42, runs: 1000, loseAllEvents: false, exhaustive: false, trace: false }));

  test("shows the trace of one number of one scenario", () => {
    expect(read("--seed", "7", "--scenario", "replaced")).toMatchObject({ first: 7, runs: 1, trace: true });
    expect(read("--seed", "7").trace).toBe(false);
  });

  test("puts a fault at one request of it", () => {
    const { point } = read("--seed", "7", "--scenario", "replaced", "--point", "17:die-after");
    expect(point).toEqual({ index: 17, what: "die after" });
  });

  test("goes on for ever when asked to", () => expect(read("--forever").runs).toBe(Number.POSITIVE_INFINITY));

  test("looks for mutants from number 1 on", () => {
    expect(read("--mutant", "all")).toMatchObject({ first: 1, mutants });
    expect(read("--mutant", "no-guard", "--seed", "9")).toMatchObject({ first: 9, mutants: [{ name: "no-guard" }] });
  });

  test.each([
    [["--runs", "x"], '--runs takes a whole number of 1 or more, not "x".'],
    [["--runs", "0"], '--runs takes a whole number of 1 or more, not "0".'],
    [["--seed", "-1"], /seed/],
    [["--scenario", "nix"], /No scenario is called nix. There are .*replaced/],
    [["--system", "nix"], /No system is called nix. There are .*pvc-protection/],
    [["--mutant", "nix"], /No mutant is called nix. There are all, .*no-guard/],
    [["--mutant", "all", "--runs", "3"], /leave --runs out/],
    [["--forever", "--runs", "3"], "--forever and --runs exclude each other."],
    [["--exhaustive", "--forever"], /--exhaustive/],
    [["--point", "3:conflict"], /--point needs --seed and --scenario/],
    [["--point", "3:nix", "--seed", "1", "--scenario", "replaced"], /--point takes a number and one of die before/],
    [["--loose"], /--loose/],
  ])("refuses %j", (args, message) => expect(() => read(...args)).toThrow(message));
});
