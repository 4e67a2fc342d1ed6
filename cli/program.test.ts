import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { runHoldfast } from "../test/cli/run-holdfast.ts";
import { createProgram, formatsOf } from "./program.ts";

const root = join(import.meta.dirname, "..");

beforeEach(() => {
  for (const name of ["KUBECONFIG", "KUBERNETES_SERVICE_HOST"]) vi.stubEnv(name, undefined);
  vi.stubEnv("HOME", "/nonexistent");
  return vi.unstubAllEnvs;
});

test("as a process it ends with the exit code, and says what to do on standard error", async () => {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(root, "node_modules/.cache/holdfast/compiled") };
  const ran = await new Promise((resolve) =>
    execFile(process.execPath, [join(root, "cli/main.ts"), "nope"], { env }, (error, out, err) =>
      resolve({ code: error?.code, out, err }),
    ),
  );
  expect(ran).toEqual({ code: 2, out: "", err: "holdfast: unknown command 'nope'. See: holdfast --help\n" });
});

test("the page about the command line has the help of every command, word by word", () => {
  const page = readFileSync(join(root, "docs/command-line.md"), "utf8");
  const program = createProgram();
  expect(page).toContain(`\`\`\`text\n${formatsOf(program).replaceAll(/^ {2}/gm, "")}\n\`\`\``);
  for (const command of program.commands) {
    expect(page).toContain(`## ${command.name()}\n`);
    expect(page).toContain(`\`\`\`text\n${command.helpInformation().trimEnd()}\n\`\`\``);
  }
});

test("every line of help fits into 80 columns", () => {
  const program = createProgram();
  const said: string[] = [];
  for (const command of [program, ...program.commands]) {
    // With what some of them print behind it.
    command.configureOutput({ writeOut: (text) => said.push(text) });
    command.outputHelp();
  }
  const text = said.join("");
  expect(text).toContain("release VOLUME");
  expect(text).toMatch(/^ {2}json, yaml, wide {2}status$/m);
  expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test.each([
  [["uninstall", "--nope"], "holdfast: unknown option '--nope'. See: holdfast uninstall --help\n"],
  [["statu"], "holdfast: unknown command 'statu'. Did you mean status? See: holdfast --help\n"],
  [["help", "nope"], "holdfast: unknown command 'nope'. See: holdfast --help\n"],
  [["nope", "--help"], "holdfast: unknown command 'nope'. See: holdfast --help\n"],
  [["--nope", "status"], "holdfast: unknown option '--nope'. See: holdfast --help\n"],
  [["--context", "a"], expect.stringContaining("unknown option '--context'")],
  [["--act", "status"], "holdfast: unknown option '--act'. See: holdfast status --help\n"],
  [
    ["doctor", "-o", "json"],
    "holdfast: unknown option '-o'. doctor has one format only, and takes no -o. See: holdfast doctor --help\n",
  ],
  [["explain", "pvc/a", "-o", "wide"], expect.stringContaining("Allowed choices are json, yaml. See: holdfast")],
  [["uninstall", "-o", "json"], expect.stringContaining("-o works only with --check: an uninstall says each step")],
  [["replay"], "holdfast: missing required argument 'EVENT'. See: holdfast replay --help\n"],
  [["replay", "x"], "holdfast: No cluster is named: give --kubeconfig FILE, or set KUBECONFIG.\n"],
  [
    ["replay", "x", "--kubeconfig", "/nope"],
    expect.stringMatching(
      /^holdfast: The kubeconfig \/nope cannot be read: ENOENT.* Give another one by --kubeconfig or/,
    ),
  ],
])("%j ends with 2, and one line says what to do", async (args, err) => {
  expect(await runHoldfast(args)).toEqual({ code: 2, out: "", err });
});

test("a context that the kubeconfig does not have is refused, with the names of those it has", async () => {
  const kubeconfig = join(import.meta.dirname, "fixtures/two-contexts.yaml");
  const { code, err } = await runHoldfast(["replay", "x", "--kubeconfig", kubeconfig, "--context", "third"]);
  expect([code, err]).toEqual([2, "holdfast: The kubeconfig has no context third; it has first, second.\n"]);
});

/** A kubeconfig with two contexts, changed, for one test. */
function kubeconfigWith(change: (text: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-program-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "kubeconfig");
  writeFileSync(file, change(readFileSync(join(import.meta.dirname, "fixtures/two-contexts.yaml"), "utf8")));
  return file;
}

test("a login that has expired is called so, and not a missing right", async () => {
  const server = createServer((_, answer) => answer.writeHead(401).end("{}")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const kubeconfig = kubeconfigWith((text) =>
    text.replace('127.0.0.1:1"', `127.0.0.1:${port}", insecure-skip-tls-verify: true`),
  );
  const { code, err } = await runHoldfast(["restore", "list", "--kubeconfig", kubeconfig]);
  expect([code, err]).toEqual([2, expect.stringMatching(/401.* Has your login expired\? Log in again, or name/)]);
});

test("without a current context in the kubeconfig, the contexts that it has are named", async () => {
  const kubeconfig = kubeconfigWith((text) => text.replace(/^current-context: .*$/m, ""));
  const { code, err } = await runHoldfast(["replay", "x", "--kubeconfig", kubeconfig]);
  const said = "The kubeconfig has no current context: name one with --context; it has first, second.";
  expect([code, err]).toEqual([2, `holdfast: ${said}\n`]);
});

test.each([
  [["--kubeconfig", "/nope", "status"]],
  [["--kubeconfig=/nope", "-o", "json", "-n", "shop", "explain", "pvc/x"]],
  [["--watch", "--kubeconfig", "/nope", "explain", "pvc", "x"]],
])("options may stand before the command, as kubectl takes them: %j", async (args) => {
  const { code, err } = await runHoldfast(args);
  expect([code, err]).toEqual([2, expect.stringContaining("The kubeconfig /nope cannot be read")]);
});

test("an option that npm took for its own is named instead of being left out", async () => {
  vi.stubEnv("npm_lifecycle_event", "holdfast");
  vi.stubEnv("npm_config_dry_run", "true");
  const { code, err } = await runHoldfast(["uninstall"]);
  expect([code, err]).toEqual([2, expect.stringContaining("npm kept --dry-run for itself.")]);
});

test("without arguments it prints its help", async () => {
  expect(await runHoldfast([])).toMatchObject({ code: 0, out: expect.stringMatching(/^Usage: holdfast /) });
});
