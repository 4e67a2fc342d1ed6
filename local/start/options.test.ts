import { afterEach, describe, expect, test, vi } from "vitest";
import { UserError } from "../../shared/command/user-error.ts";
import { listedTours, tourNames } from "../tour/names.ts";
import { devHelp, help, readDevOptions, readOptions } from "./options.ts";
import { saltFlags } from "./salt/read-flags.ts";

afterEach(() => vi.unstubAllEnvs());

test("without flags all tours are played, and then it stays", () => {
  const tours = tourNames;
  expect(readOptions([])).toEqual({
    port: 0,
    yes: false,
    tour: "then stay",
    tours,
    window: 3000,
    loseAllEvents: false,
    help: false,
  });
});

test("one tour can be chosen, also for the cluster of a kubeconfig, which otherwise sees none", () => {
  expect(readOptions(["--tour", "pvc-retention"])).toMatchObject({ tour: "then stay", tours: ["pvc-retention"] });
  const onCluster = ["--kubeconfig", "a"];
  expect(readOptions(onCluster).tour).toBe("none");
  expect(readOptions([...onCluster, "--tour=pvc-protection"])).toMatchObject({
    tour: "then stay",
    tours: ["pvc-protection"],
  });
  expect(readOptions([...onCluster, "--tour=pvc-retention", "--tour-only"])).toMatchObject({
    tour: "only",
    tours: ["pvc-retention"],
  });
});

test("flags are read", () => {
  expect(readOptions(["--lose-all-events"])).toMatchObject({ tour: "none", loseAllEvents: true });
  expect(readOptions(["--tour-only", "--port", "8443", "--idle=10"])).toMatchObject({
    tour: "only",
    port: 8443,
    window: 10_000,
  });
  vi.stubEnv("INIT_CWD", "/home/alice");
  expect(readOptions(["--no-tour", "--kubeconfig", "a", "--yes"])).toMatchObject({
    tour: "none",
    kubeconfig: "/home/alice/a",
    yes: true,
  });
});

test("a Salt is named by its URL", () => {
  vi.stubEnv("SALT_PASSWORD", "secret");
  expect(readOptions(["--salt", "https://salt:4507/"])).toMatchObject({ salt: { url: "https://salt:4507" } });
});

test("--no-color is NO_COLOR", () => {
  vi.stubEnv("NO_COLOR", undefined);
  readOptions(["--no-color"]);
  expect(process.env.NO_COLOR).toBe("1");
});

describe("a flag that cannot be used is named in one line", () => {
  test.each([
    [["--tuor"], "Unknown option '--tuor'. See: npm start -- --help"],
    [["--tour", "pvc"], `There is no tour pvc; there are ${listedTours("and")}.`],
    [
      ["--salt", "https://a", "--kubeconfig", "a"],
      "--salt is for a cluster of our own; on yours, install the component volume.",
    ],
    [["--minion", "a"], "--minion goes with --salt URL."],
    [["--tour", "pvc-retention", "--no-tour"], "--tour and --no-tour exclude each other."],
    [["now"], "Unexpected argument 'now'. See: npm start -- --help"],
    [["--port"], "Option '--port <value>' argument missing. See: npm start -- --help"],
    [["--port", "http"], '--port takes a whole number from 1 to 65535, not "http".'],
    [["--port", "65536"], '--port takes a whole number from 1 to 65535, not "65536".'],
    [["--idle", "0"], '--idle takes a whole number from 1 to 3600, not "0".'],
    [["--tour-only", "--no-tour"], "--tour-only and --no-tour exclude each other."],
    [
      ["--lose-all-events", "--tour-only"],
      "The tours show what events bring about; leave them out of --lose-all-events.",
    ],
    [["--kubeconfig="], "--kubeconfig needs a file."],
    [["--kubeconfig", "a", "--port", "1"], "--port is for an API server of our own; with --kubeconfig there is none."],
    [["--yes"], "--yes answers a question that only --kubeconfig asks."],
    [["--yes=1"], "Option '--yes' does not take an argument. See: npm start -- --help"],
  ])("%j", (args, sentence) => expect(() => readOptions(args)).toThrow(new UserError(sentence)));
});

describe("npm run dev", () => {
  const functions = ["pvc-protection/release", "pvc-protection/warn"];

  test("takes one function and the flags of npm start", () => {
    expect(readDevOptions(["pvc-protection/release", "--idle", "60"], functions)).toEqual({
      function: "pvc-protection/release",
      port: 0,
      yes: false,
      tour: "none",
      tours: [],
      loseAllEvents: false,
      window: 60_000,
      help: false,
    });
  });

  test.each([
    [[], "Which function? There are pvc-protection/release, pvc-protection/warn."],
    [["release"], "There is no function release. There are pvc-protection/release, pvc-protection/warn."],
    [functions, "One function at a time, not pvc-protection/release and pvc-protection/warn."],
    [["--tour-only"], "Unknown option '--tour-only'. See: npm run dev -- --help"],
  ])("%j is complained about", (args, sentence) =>
    expect(() => readDevOptions(args, functions)).toThrow(new UserError(sentence)),
  );
});

test("the help fits on a terminal and names every flag", () => {
  const flags = ["port", "idle", "kubeconfig", "yes", "no-color", "help"];
  for (const [text, more] of [
    [help, ["tour", "tour-only", "no-tour", "lose-all-events", ...Object.keys(saltFlags)]],
    [devHelp, []],
  ] as const) {
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    for (const flag of [...flags, ...more]) expect(text).toContain(`--${flag}`);
  }
});
