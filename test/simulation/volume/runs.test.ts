import { testRuns } from "../testing/test-runs.ts";
import { volume } from "./system.ts";

testRuns(volume);
