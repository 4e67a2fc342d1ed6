import { testMutants } from "../testing/test-mutants.ts";
import { satellite } from "./system.ts";

testMutants(satellite);
