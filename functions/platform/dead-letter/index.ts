import { serveFunction } from "../../../shared/serve/serve-function.ts";
import { deadLetter } from "./declaration.ts";
import { recordDeadLetters } from "./record.ts";

serveFunction(deadLetter, recordDeadLetters);
