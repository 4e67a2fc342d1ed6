import { serve } from "../../../shared/serve/serve.ts";
import { admit } from "./rule.ts";

serve(admit);
