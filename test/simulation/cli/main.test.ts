import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { patience } from "../testing/patience.ts";

const program = join(import.meta.dirname, "../main.ts");

/**
 * Runs `npm run simulate` and returns its exit code and what it said; ends it as Ctrl-C does as soon as it has said
 * something.
 */
async function interrupted(...args: readonly string[]): Promise<{ code: number | null; lines: readonly string[] }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (said === "") child.kill("SIGINT");
    said += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, lines: said.trimEnd().split("\n") };
}

test("a run without an end is ended by Ctrl-C, says what it has come to, and has not failed", patience, async () => {
  const { code, lines } = await interrupted("--forever", "--seed", "7");
  expect(lines.at(0)).toMatch(/^Numbers from 7 on, in /);
  expect(lines.at(-1)).toMatch(/^\d+ runs?, \d+ a minute: all held so far\.$/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(code).toBe(0);
});

test("one that was to have an end has not come to it", patience, async () => {
  const { code, lines } = await interrupted("--runs", "1000000", "--system", "pvc-protection");
  expect(lines.at(-1)).toContain("all held so far.");
  expect(code).toBe(130);
});
