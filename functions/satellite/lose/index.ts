import { serve } from "../../../shared/serve/serve.ts";
import { lose } from "./rule.ts";

serve(lose);
