import { describe, expect, inject, test, vi } from "vitest";
import { run } from "../bench/release/run.ts";

const assets = inject("cluster")?.assets;

describe.skipIf(!assets)("the release benchmark", () => {
  test("runs with few claims, all of which go, and prints both variants", { timeout: 300_000 }, async () => {
    const print = vi.spyOn(console, "log").mockImplementation(() => {});
    try {
      // It waits for each claim to go and fails when one does not, or goes while a pod uses it.
      await run(["--claims", "20", "--pods", "60"]);
      const printed = print.mock.calls.flat().join("\n");
      expect(printed).toContain("used by none");
      expect(printed).toContain("each used by one pod");
      expect(printed.match(/^first deletion to last claim gone/gm)).toHaveLength(2);
    } finally {
      print.mockRestore();
    }
  });
});
