import { serve } from "../../../shared/serve/serve.ts";
import { disableCompute } from "./rule.ts";

serve(disableCompute);
