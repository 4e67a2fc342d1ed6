import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createProgram } from "../../cli/program.ts";
import { type Run, runStart } from "../../local/start/testing/run-start.ts";
import { openWalk, type Walk } from "../cluster/walk/walk.ts";
import { createClaim, scriptOfSection, sections } from "./guide-sections.ts";

// The sweep of the laptop edition looks at what its functions have missed after some minutes.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const holdfast = (args: string) => `npm run --silent holdfast -- ${args}`;
/** Every command that ends by itself and needs a cluster, with how it ends, at most, and what it says. */
const commands = [
  ["preflight pvc-protection", 1, "This is Kubernetes v1."],
  ["status", 1, "pvc-protection"],
  ["explain pvc/data -n commands", 0, "PersistentVolumeClaim commands/data is not being deleted."],
  ["try pvc-protection/release pvc/data -n commands", 0, "pvc-protection/release"],
  ["what-if delete pvc/data -n commands", 1, "PersistentVolumeClaim commands/data"],
  ["restore list", 0, "Volume pvc-"],
  ["replay nope.json", 2, "nope.json"],
  ["doctor", 2, "declarations:"],
  ["uninstall --check", 1, "These go, in this order:"],
] as const;

test("every command of holdfast is run below, or needs no cluster, or stays until it is ended", () => {
  const run = commands.map(([args]) => args.replace(/ .*/, ""));
  const names = createProgram().commands.map((one) => one.name());
  expect([...run, "pretty", "check-images", "completion", "console"].sort()).toEqual(names.sort());
});

/** A claim comes and goes, and the pods that the canary has by then. */
const goneIn = (namespace: string) => `kubectl create namespace ${namespace}
${createClaim("data", namespace)}
kubectl delete pvc data -n ${namespace} --timeout=2m
kubectl -n holdfast get pods -o name`;
const canary = "pod/pvc-protection-release-b";
/** A revision has a pod from its beginning; from then on only events bring it. */
const atZero = `kubectl -n holdfast wait pod -l serving.knative.dev/revision=pvc-protection-release-b --for=delete \\
  --timeout=2m`;

const hasKubectl = Boolean(process.env.KUBEBUILDER_ASSETS) || isInstalled("kubectl");
if (!hasKubectl) console.log("The guides' commands are not run: they take kubectl.");

describe.skipIf(!hasKubectl)("the guides' commands, on the laptop edition", () => {
  const folder = mkdtempSync(join(tmpdir(), "guides-"));
  let walk: Walk;
  let over: Promise<Run>;
  let end = () => {};
  beforeAll(async () => {
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    const kubeconfig = await new Promise<string>((found) => {
      over = runStart(["--no-tour", "--idle", "10"], temporary, (out, kill) => {
        end = () => kill("SIGINT");
        const [, file] = /export KUBECONFIG=(\S+)/.exec(out) ?? [];
        if (file) found(file);
      });
    });
    walk = openWalk(folder, kubeconfig, { texts: [["\u0000", ""]], commands: {} });
  });
  afterAll(async () => {
    end();
    await over;
    rmSync(folder, { recursive: true });
  });

  test.each(sections)("$page: $heading", async (section) => {
    await walk.run(scriptOfSection(section));
  });

  test("every command of holdfast answers", async () => {
    await walk.run(`kubectl create namespace commands\n${createClaim("data", "commands")}`);
    for (const [args, code, says] of commands)
      expect(await walk.run(`${holdfast(args)} || [ $? = ${code} ]`), args).toContain(says);
    await walk.run("kubectl delete namespace commands --wait=false");
  });

  test("the canary gets the events of its namespace, and no others", async () => {
    await walk.run(atZero);
    expect(await walk.run(goneIn("production"))).not.toContain(canary);
    expect(await walk.run(goneIn("staging"))).toContain(canary);
  });

  test("npm start ends without a complaint", async () => {
    end();
    const { code, err } = await over;
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });
});

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["version", "--client"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
