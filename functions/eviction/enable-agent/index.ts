import { serve } from "../../../shared/serve/serve.ts";
import { enableAgentRule } from "./rule.ts";

serve(enableAgentRule);
