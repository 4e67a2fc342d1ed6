import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const program = join(import.meta.dirname, "../main.ts");

test("a function's log is made readable, and what is none stays as it is", () => {
  const record = { level: "info", rule: "pvc-protection/protect", decision: "write", object: "Pod a/b", msg: "Done." };
  const input = `${JSON.stringify(record)}\nlistening on 8080\n{"not": "ours"}\n`;
  expect(execFileSync(process.execPath, [program, "pretty"], { input, encoding: "utf8" })).toBe(
    '  protect  write  pod a/b: Done.\nlistening on 8080\n{"not": "ours"}\n',
  );
});
