import { serve } from "../../../shared/serve/serve.ts";
import { reserve } from "./rule.ts";

serve(reserve);
