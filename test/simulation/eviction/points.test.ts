import { testPoints } from "../testing/test-points.ts";
import { eviction } from "./system.ts";

testPoints(eviction, 2_000, 2);
