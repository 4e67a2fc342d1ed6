import { testPoints } from "../testing/test-points.ts";
import { satellite } from "./system.ts";

// A scenario has ten thousand points, and more: seventeen functions look at each write.
testPoints(satellite, 8_000, 5);
