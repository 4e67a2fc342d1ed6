import { testRuns } from "../testing/test-runs.ts";
import { undelete } from "./system.ts";

testRuns(undelete);
