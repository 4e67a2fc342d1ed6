import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** `node test/structure/event-walk.ts --files` prints the walk. */
const most = { files: 11, returns: 6 };

test("an event returns to no more files than the limit says, and the documentation has the figures of its walk", () => {
  const script = join(import.meta.dirname, "event-walk.ts");
  const { own, all } = JSON.parse(execFileSync(process.execPath, ["--no-warnings", script], { encoding: "utf8" }));
  expect(own.files).toBeGreaterThan(5);
  expect(own.files).toBeLessThanOrEqual(most.files);
  expect(own.returns).toBeLessThanOrEqual(most.returns);
  const page = readFileSync(join(import.meta.dirname, "../../docs/event-to-patch.md"), "utf8").replaceAll(/\s+/g, " ");
  for (const { steps, files, returns } of [own, all])
    expect(page).toContain(`${steps} steps in ${files} files, with ${returns} returns`);
});
