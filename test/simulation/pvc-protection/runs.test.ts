import { testRuns } from "../testing/test-runs.ts";
import { pvcProtection } from "./system.ts";

testRuns(pvcProtection);
