import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";

const program = join(import.meta.dirname, "testing/waiting.ts");

/** As npm runs a script: by a shell, which waits for it. */
const asNpm = `
  const { spawn } = require("node:child_process");
  const shell = process.argv[1] + " " + process.argv[2] + "; exit $?";
  spawn("/bin/sh", ["-c", shell], { stdio: "inherit", env: { ...process.env, npm_lifecycle_event: "start" } });
`;

test("after kill -9 of npm the program that it has started ends in order", async () => {
  const npm = spawn(process.execPath, ["-e", asNpm, process.execPath, program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(npm.stdout, "data");
  const [pid, folder] = String(said).trim().split(" ") as [string, string];
  expect(existsSync(folder)).toBe(true);
  npm.kill("SIGKILL");
  await once(npm, "exit");
  const isAlive = () => {
    try {
      return process.kill(Number(pid), 0);
    } catch {
      return false;
    }
  };
  // It is no child of this process, so that no event says when it is gone; the test's own limit ends the wait.
  while (isAlive()) await sleep(50);
  expect(existsSync(folder)).toBe(false);
});
