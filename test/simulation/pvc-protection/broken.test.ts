import { testBroken } from "../testing/test-broken.ts";
import { pvcProtection } from "./system.ts";

testBroken(pvcProtection);
