import { describe } from "vitest";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { processWorlds } from "../worlds/process-world.ts";
import { tellAll } from "./tell-all.ts";

describe("by npm start", () => {
  tellAll(({ bySweepsAlone }) => processWorlds(beside, { missing: ["kubelet"], throwaway: true, bySweepsAlone }), {
    functionsMayGo: false,
  });
});
