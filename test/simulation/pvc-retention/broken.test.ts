import { testBroken } from "../testing/test-broken.ts";
import { pvcRetention } from "./system.ts";

testBroken(pvcRetention);
