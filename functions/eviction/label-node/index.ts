import { serve } from "../../../shared/serve/serve.ts";
import { labelNode } from "./rule.ts";

serve(labelNode);
