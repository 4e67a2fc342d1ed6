import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** `node test/structure/event-walk.ts --files` prints the walk. */
const most = { files: 11, returns: 6 };

test("from receive to its patch an event returns to no more files that it has left than the limit says", () => {
  const script = join(import.meta.dirname, "event-walk.ts");
  const { own } = JSON.parse(execFileSync(process.execPath, ["--no-warnings", script], { encoding: "utf8" }));
  expect(own.files).toBeGreaterThan(5);
  expect(own.files).toBeLessThanOrEqual(most.files);
  expect(own.returns).toBeLessThanOrEqual(most.returns);
});
