import { serve } from "../../../shared/serve/serve.ts";
import { syncPolicy } from "./rule.ts";

serve(syncPolicy);
