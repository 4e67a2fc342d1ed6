import { testPoints } from "../testing/test-points.ts";
import { volume } from "./system.ts";

// A scenario has hundreds of points, the longest two thousand.
testPoints(volume, 180);
