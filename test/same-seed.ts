import { configureGlobal, readConfigureGlobal } from "fast-check";
import { drawn } from "./drawn.ts";

// One seed for all properties of a file. A test that fails and is run once more tries the same values again: what a
// property has found fails twice, and is never taken for a busy machine.
configureGlobal({ ...readConfigureGlobal(), seed: drawn });
