import { serve } from "../../../shared/serve/serve.ts";
import { prepare } from "./rule.ts";

serve(prepare);
