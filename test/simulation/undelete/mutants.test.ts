import { testMutants } from "../testing/test-mutants.ts";
import { undelete } from "./system.ts";

testMutants(undelete);
