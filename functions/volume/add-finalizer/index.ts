import { serve } from "../../../shared/serve/serve.ts";
import { addFinalizer } from "./rule.ts";

serve(addFinalizer);
