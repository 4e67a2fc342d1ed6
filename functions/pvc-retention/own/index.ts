import { serve } from "../../../shared/serve/serve.ts";
import { own } from "./rule.ts";

serve(own);
