import { describe } from "vitest";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { processWorlds } from "../worlds/process-world.ts";
import { runAll } from "./run-all.ts";

describe("by npm start", () => {
  runAll(({ bySweepsAlone }) => processWorlds(beside, { missing: ["kubelet"], throwaway: true, bySweepsAlone }), {
    functionsMayGo: false,
  });
});
