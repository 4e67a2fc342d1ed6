import { testMutants } from "../testing/test-mutants.ts";
import { eviction } from "./system.ts";

testMutants(eviction);
