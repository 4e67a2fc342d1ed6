import { serve } from "../../../shared/serve/serve.ts";
import { syncPools } from "./rule.ts";

serve(syncPools);
