import { serve } from "../../../shared/serve/serve.ts";
import { spawn } from "./rule.ts";

serve(spawn);
