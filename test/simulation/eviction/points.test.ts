import { testPoints } from "../testing/test-points.ts";
import { eviction } from "./system.ts";

testPoints(eviction, 4_000, 2);
