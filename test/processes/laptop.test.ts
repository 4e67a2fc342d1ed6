import { describe } from "vitest";
import { processBackend } from "../harness/process-backend.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { runAll } from "./run-all.ts";

describe("by npm start", () => {
  runAll(({ bySweepsAlone }) => processBackend(beside, { missing: ["kubelet"], throwaway: true, bySweepsAlone }), {
    functionsMayGo: false,
    part: (all) => all,
  });
});
