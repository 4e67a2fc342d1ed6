import { serve } from "../../../shared/serve/serve.ts";
import { enableCompute } from "./rule.ts";

serve(enableCompute);
