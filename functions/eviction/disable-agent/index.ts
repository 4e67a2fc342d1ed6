import { serve } from "../../../shared/serve/serve.ts";
import { disableAgent } from "./rule.ts";

serve(disableAgent);
