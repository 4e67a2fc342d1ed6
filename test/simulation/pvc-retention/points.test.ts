import { testPoints } from "../testing/test-points.ts";
import { pvcRetention } from "./system.ts";

testPoints(pvcRetention, 240, 15);
