import { serve } from "../../../shared/serve/serve.ts";
import { forgive } from "./rule.ts";

serve(forgive);
