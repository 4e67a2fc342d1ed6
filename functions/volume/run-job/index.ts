import { serve } from "../../../shared/serve/serve.ts";
import { runJob } from "./rule.ts";

serve(runJob);
