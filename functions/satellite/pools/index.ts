import { serve } from "../../../shared/serve/serve.ts";
import { pools } from "./rule.ts";

serve(pools);
