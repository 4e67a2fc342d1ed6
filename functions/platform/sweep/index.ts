import { serveFunction } from "../../../shared/serve/serve-function.ts";
import { sweepFunction } from "./declaration.ts";
import { onTick } from "./on-tick.ts";

serveFunction(sweepFunction, (tools) => onTick(tools));
