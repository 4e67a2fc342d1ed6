import { serve } from "../../../shared/serve/serve.ts";
import { configure } from "./rule.ts";

serve(configure);
