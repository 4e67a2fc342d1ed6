import { serve } from "../../../shared/serve/serve.ts";
import { bequeath } from "./rule.ts";

serve(bequeath);
