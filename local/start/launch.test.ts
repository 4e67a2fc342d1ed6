import { expect, test } from "vitest";
import { createBundles } from "./launch.ts";

test("nothing is bundled for a run that has been asked to end already", async () => {
  const said: string[] = [];
  const bundles = createBundles("/nowhere", (line) => said.push(line));
  await expect(bundles.build(AbortSignal.abort(new Error("Asked to end.")))).rejects.toThrow("Asked to end.");
  expect(said).toEqual([]);
});
