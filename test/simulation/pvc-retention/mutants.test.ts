import { testMutants } from "../testing/test-mutants.ts";
import { pvcRetention } from "./system.ts";

testMutants(pvcRetention);
