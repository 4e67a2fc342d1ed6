import { testRuns } from "../testing/test-runs.ts";
import { satellite } from "./system.ts";

// Each scenario waits for minutes of virtual time, in which seventeen functions look.
testRuns(satellite, { oneIn: 2 });
