import { serve } from "../../../shared/serve/serve.ts";
import { settle } from "./rule.ts";

serve(settle);
