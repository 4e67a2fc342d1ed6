import { testMutants } from "../testing/test-mutants.ts";
import { pvcProtection } from "./system.ts";

testMutants(pvcProtection);
