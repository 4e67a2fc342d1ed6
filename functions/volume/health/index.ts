import { serve } from "../../../shared/serve/serve.ts";
import { health } from "./rule.ts";

serve(health);
