import { testRuns } from "../testing/test-runs.ts";
import { satellite } from "./system.ts";

// Simulated users start only where a copy is: a run that cordons all of those comes to no end, and is no fault of ours.
testRuns(satellite, { oneIn: 3, draws: false });
