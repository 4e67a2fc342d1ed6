import { serve } from "../../../shared/serve/serve.ts";
import { grace } from "./rule.ts";

serve(grace);
