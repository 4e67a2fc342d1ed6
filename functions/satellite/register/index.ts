import { serve } from "../../../shared/serve/serve.ts";
import { register } from "./rule.ts";

serve(register);
