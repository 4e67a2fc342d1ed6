import { testPoints } from "../testing/test-points.ts";
import { undelete } from "./system.ts";

testPoints(undelete);
