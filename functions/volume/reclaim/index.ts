import { serve } from "../../../shared/serve/serve.ts";
import { reclaim } from "./rule.ts";

serve(reclaim);
