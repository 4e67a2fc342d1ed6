import { testRuns } from "../testing/test-runs.ts";
import { eviction } from "./system.ts";

testRuns(eviction, { oneIn: 2 });
