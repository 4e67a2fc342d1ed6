import { serve } from "../../../shared/serve/serve.ts";
import { confirmOutage } from "./rule.ts";

serve(confirmOutage);
