import { serve } from "../../../shared/serve/serve.ts";
import { remove } from "./rule.ts";

serve(remove);
