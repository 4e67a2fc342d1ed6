import { testPoints } from "../testing/test-points.ts";
import { pvcProtection } from "./system.ts";

testPoints(pvcProtection);
