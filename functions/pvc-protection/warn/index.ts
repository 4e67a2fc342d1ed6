import { serve } from "../../../shared/serve/serve.ts";
import { warn } from "./rule.ts";

serve(warn);
