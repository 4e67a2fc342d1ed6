import { testRuns } from "../testing/test-runs.ts";
import { pvcRetention } from "./system.ts";

testRuns(pvcRetention, { oneIn: 9 });
