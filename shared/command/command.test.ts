import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseFlags, wholeNumber } from "./parse-flags.ts";
import { shellWord } from "./shell-word.ts";

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "holdfast-command-"));
});
afterEach(() => rmSync(temporary, { recursive: true }));

/** Runs a program that has what commands are made of at hand; `hear` may act upon what it prints. */
async function run(program: string, hear: (out: string, child: ReturnType<typeof spawn>) => void = () => {}) {
  const at = (file: string) => JSON.stringify(join(import.meta.dirname, file));
  const text = `
    import { UserError } from ${at("user-error.ts")};
    import { runCommand } from ${at("run-command.ts")};
    import { temporaryFolder } from ${at("temporary-folder.ts")};
    ${program}`;
  const env = { PATH: process.env.PATH, TMPDIR: temporary };
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", text], { env, stdio: "pipe" });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
    hear(out, child);
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    err += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}

test("a command ends with the code that it answers", async () => {
  expect(await run("await runCommand(async () => 3);")).toEqual({ code: 3, out: "", err: "" });
});

test.each([
  ["a setting", 'throw new SettingsError("LINSTOR_URL is no URL.")'],
  ["an external system", 'throw new SystemError("Salt", "unreachable", "LINSTOR_URL is no URL.")'],
])("a complaint about %s is one line and no stack", async (_, thrown) => {
  const program = `
    import { SettingsError } from ${JSON.stringify(join(import.meta.dirname, "../settings.ts"))};
    import { SystemError } from ${JSON.stringify(join(import.meta.dirname, "../system/system-error.ts"))};
    await runCommand(async () => { ${thrown}; });`;
  expect(await run(program)).toEqual({ code: 1, out: "", err: "holdfast: LINSTOR_URL is no URL.\n" });
});

test("a complaint is one line and no stack; any other error keeps its own", async () => {
  const complaint = 'await runCommand(async () => { throw new UserError("There is no cluster."); });';
  expect(await run(complaint)).toEqual({ code: 1, out: "", err: "holdfast: There is no cluster.\n" });
  const { code, err } = await run('await runCommand(async () => { throw new Error("A defect."); });');
  expect([code, err]).toEqual([1, expect.stringMatching(/^holdfast: Error: A defect\.\n +at /)]);
});

test("Ctrl-C at a question is no, and ends the command with 130 and what it says of that", async () => {
  const question = `
    import { ask } from ${JSON.stringify(join(import.meta.dirname, "ask.ts"))};
    process.stdout.isTTY = true;
    await runCommand(async () => {
      if (!(await ask("Go on?"))) throw new UserError("Nothing was changed.");
      return 0;
    });`;
  const press = (key: string) => run(question, (_, child) => child.stdin?.writable && child.stdin.end(key));
  expect(await press("\x03")).toMatchObject({ code: 130, err: "holdfast: Nothing was changed.\n" });
  expect(await press("n\r")).toMatchObject({ code: 1, err: "holdfast: Nothing was changed.\n" });
});

test("a reader who has seen enough ends it, in silence", async () => {
  const endless = `await runCommand(async () => {
    for (;;) { process.stdout.write("line\\n"); await new Promise((resolve) => setTimeout(resolve)); }
  });`;
  const { code, err } = await run(endless, (_, child) => child.stdout?.destroy());
  expect([code, err]).toEqual([0, ""]);
});

test.skipIf(!existsSync("/dev/full"))("a command whose output finds the disk full ends with 2 and says so", () => {
  const module = JSON.stringify(join(import.meta.dirname, "run-command.ts"));
  const program = `
    import { runCommand } from ${module};
    await runCommand(async () => { process.stdout.write("line\\n"); return 0; });`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", program], {
    stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([2, expect.stringContaining("holdfast: The output could not be written: ENOSPC")]);
});

test.each(["SIGINT", "SIGTERM"] as const)("%s ends it, and takes its temporary folders away", async (signal) => {
  let folder = "";
  const waiting = `await runCommand(async () => {
    console.log(temporaryFolder("test").path);
    return new Promise((resolve) => setTimeout(resolve, 60_000));
  });`;
  const { code } = await run(waiting, (out, child) => {
    folder = out.trim();
    expect(existsSync(folder)).toBe(true);
    child.kill(signal);
  });
  expect(code).toBe(signal === "SIGINT" ? 130 : 143);
  expect(folder).toContain(temporary);
  expect(existsSync(folder)).toBe(false);
});

test.each([
  [["--nope"], "Unknown option '--nope'. See: npm run x -- --help"],
  [["--count"], "Option '--count <value>' argument missing. See: npm run x -- --help"],
  [["more"], "Unexpected argument 'more'. See: npm run x -- --help"],
])("%j is answered with the flag and where it is explained", (args, message) =>
  expect(() => parseFlags("npm run x", { args, options: { count: { type: "string" } } })).toThrow(message),
);

test("-h is --help", () => {
  const { values } = parseFlags("npm run x", { args: ["-h"], options: { help: { type: "boolean" } } });
  expect(values.help).toBe(true);
});

test("a flag that npm has kept for itself is asked for again, behind --", () => {
  const config = {
    args: [],
    options: { count: { type: "string" }, "lose-all": { type: "boolean" }, yes: { type: "boolean" } },
  } as const;
  const parse = (environment: NodeJS.ProcessEnv) => () => parseFlags("npm run x", config, environment);
  const message = "npm kept --lose-all for itself. Put -- before it: npm run x -- --lose-all";
  expect(parse({ npm_config_lose_all: "true" })).toThrow(message);
  expect(parse({ npm_config_lose_all: "", npm_config_count: "false", npm_config_yes: "true" })).not.toThrow();
});

test.each([
  ["0", '--count takes a whole number from 1 to 9, not "0".'],
  ["10", '--count takes a whole number from 1 to 9, not "10".'],
  ["1e0", '--count takes a whole number from 1 to 9, not "1e0".'],
  ["", '--count takes a whole number from 1 to 9, not "".'],
])("%j is no number that a flag takes", (text, message) => {
  expect(() => wholeNumber("--count", text, 1, 9)).toThrow(message);
  expect(wholeNumber("--count", "9", 1, 9)).toBe(9);
});

test.each([
  ["/tmp/holdfast-laptop-a1/kubeconfig", "/tmp/holdfast-laptop-a1/kubeconfig"],
  ["/tmp/my files/kubeconfig", "'/tmp/my files/kubeconfig'"],
  ["/tmp/it's", "'/tmp/it'\\''s'"],
])("%s can be copied into a command", (path, word) => expect(shellWord(path)).toBe(word));
