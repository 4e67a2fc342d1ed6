import { serve } from "../../../shared/serve/serve.ts";
import { setOwner } from "./rule.ts";

serve(setOwner);
