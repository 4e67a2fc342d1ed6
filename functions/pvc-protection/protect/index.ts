import { serve } from "../../../shared/serve/serve.ts";
import { protect } from "./rule.ts";

serve(protect);
