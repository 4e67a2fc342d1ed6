import { serve } from "../../../shared/serve/serve.ts";
import { replaceAgent } from "./rule.ts";

serve(replaceAgent);
