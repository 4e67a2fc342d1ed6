import { expect, test } from "vitest";
import { runHoldfast } from "../../test/cli/run-holdfast.ts";

test("a function's log is made readable, and what is none stays as it is", async () => {
  const record = { level: "info", rule: "pvc-protection/protect", decision: "write", object: "Pod a/b", msg: "Done." };
  const input = `${JSON.stringify(record)}\nlistening on 8080\n{"not": "ours"}\n`;
  const { out } = await runHoldfast(["pretty"], { input });
  expect(out).toBe('  protect  write  pod a/b: Done.\nlistening on 8080\n{"not": "ours"}\n');
});
