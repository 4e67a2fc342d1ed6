import { serve } from "../../../shared/serve/serve.ts";
import { restore } from "./rule.ts";

serve(restore);
