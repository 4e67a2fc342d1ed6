import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeKubeconfig } from "./start/credentials.ts";
import { runStart } from "./start/testing/run-start.ts";

let temporary: string;

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "start-test-"));
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

const run = (args: readonly string[], hear?: Parameters<typeof runStart>[2]) => runStart(args, temporary, hear);

describe("what cannot be done is one line and a code", () => {
  test.each([
    [["--tuor-only"], "holdfast: Unknown option '--tuor-only'. See: npm start -- --help\n"],
    [["--port", "0"], 'holdfast: --port takes a whole number from 1 to 65535, not "0".\n'],
    [
      ["--kubeconfig", "/nowhere"],
      "holdfast: The kubeconfig /nowhere cannot be read: ENOENT: no such file or directory, open '/nowhere'\n",
    ],
  ])("%j", async (args, expected) => {
    const { code, out, err } = await run(args);
    expect({ code, out, err }).toEqual({ code: 1, out: "", err: expected });
  });

  test("a port in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const { code, err } = await run(["--port", String(port)]);
    other.close();
    expect({ code, err }).toEqual({
      code: 1,
      err: `holdfast: Port ${port} on 127.0.0.1 is in use; choose another with --port.\n`,
    });
  });

  test("a cluster that does not answer", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as { port: number };
    closed.close();
    const file = join(temporary, "kubeconfig");
    const cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
    await writeKubeconfig(file, cluster, "me", { token: "a" });
    const { code, err } = await run(["--kubeconfig", file]);
    expect(code).toBe(1);
    expect(err).toBe(
      `holdfast: The cluster http://127.0.0.1:${port} does not answer: connect ECONNREFUSED 127.0.0.1:${port}\n`,
    );
  });

  test("a certificate authority of a kubeconfig that cannot be read", async () => {
    const file = join(temporary, "kubeconfig");
    const cluster = { server: "https://127.0.0.1:1", "certificate-authority": "/nowhere/ca.crt" };
    await writeKubeconfig(file, cluster, "me", { token: "a" });
    const { code, err } = await run(["--kubeconfig", file]);
    expect(code).toBe(1);
    expect(err).toMatch(/^holdfast: The cluster .* does not answer: ENOENT: .*, open '\/nowhere\/ca.crt'\n$/);
  });
});

test("where no temporary file can be written, one line says so", async () => {
  const { code, err } = await runStart(["--tour-only"], join(temporary, "nowhere"));
  expect(code).toBe(1);
  expect(err).toMatch(/^holdfast: Temporary files cannot be written, and TMPDIR .*: ENOENT.*\n$/);
});

test("--help is printed on standard output", async () => {
  const { code, out } = await run(["--help"]);
  expect(code).toBe(0);
  expect(out).toContain("--tour-only");
});

test("a signal in the middle of the start ends it in order", async () => {
  const stopWhileBundling = (out: string, kill: (signal: NodeJS.Signals) => void) => {
    if (out.includes("Bundling")) kill("SIGTERM");
  };
  // Where no bundle of an earlier run can be.
  const environment = { HOLDFAST_BUNDLES: "/dev/null/bundles" };
  const { code, err } = await runStart(["--tour-only"], temporary, stopWhileBundling, environment);
  expect({ code, err }).toEqual({ code: 130, err: "" });
  expect(readdirSync(temporary)).toEqual([]);
});
