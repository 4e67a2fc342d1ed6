import { serve } from "../../../shared/serve/serve.ts";
import { setHooks } from "./rule.ts";

serve(setHooks);
