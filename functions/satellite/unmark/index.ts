import { serve } from "../../../shared/serve/serve.ts";
import { unmark } from "./rule.ts";

serve(unmark);
