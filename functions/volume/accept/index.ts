import { serve } from "../../../shared/serve/serve.ts";
import { accept } from "./rule.ts";

serve(accept);
