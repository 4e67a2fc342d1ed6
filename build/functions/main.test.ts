import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** A module by which no file can be written any more. */
const fullDisk = `data:text/javascript,${encodeURIComponent(`
  import fs from "node:fs/promises";
  import { syncBuiltinESMExports } from "node:module";
  fs.writeFile = () => Promise.reject(new Error("ENOSPC: no space left on device, write"));
  syncBuiltinESMExports();
`)}`;

test("functions that cannot be bundled because the disk is full say so", () => {
  const args = ["--import", fullDisk, join(import.meta.dirname, "main.ts"), "pvc-protection/warn"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const message = "holdfast: The functions cannot be bundled: ENOSPC: no space left on device, write\n";
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: message });
});
