import { configureGlobal, readConfigureGlobal } from "fast-check";
import { drawn } from "./drawn.ts";

// One seed for all properties of a file: `SEED` has what one has found be found again, whichever files are run.
configureGlobal({ ...readConfigureGlobal(), seed: drawn });
