import { testPoints } from "../testing/test-points.ts";
import { volume } from "./system.ts";

// A scenario has some hundred points, half of them requests to Salt.
testPoints(volume, 48);
