import { serve } from "../../../shared/serve/serve.ts";
import { evacuate } from "./rule.ts";

serve(evacuate);
