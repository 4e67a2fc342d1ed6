import { serve } from "../../../shared/serve/serve.ts";
import { removeLost } from "./rule.ts";

serve(removeLost);
