import { serve } from "../../../shared/serve/serve.ts";
import { condemn } from "./rule.ts";

serve(condemn);
