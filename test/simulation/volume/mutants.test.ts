import { testMutants } from "../testing/test-mutants.ts";
import { volume } from "./system.ts";

testMutants(volume);
