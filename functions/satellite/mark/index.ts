import { serve } from "../../../shared/serve/serve.ts";
import { mark } from "./rule.ts";

serve(mark);
