import { testBroken } from "../testing/test-broken.ts";
import { undelete } from "./system.ts";

testBroken(undelete);
