import { testRuns } from "../testing/test-runs.ts";
import { satellite } from "./system.ts";

testRuns(satellite, 6);
