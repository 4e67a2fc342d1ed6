import { serve } from "../../../shared/serve/serve.ts";
import { hook } from "./rule.ts";

serve(hook);
