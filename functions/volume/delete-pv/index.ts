import { serve } from "../../../shared/serve/serve.ts";
import { deletePv } from "./rule.ts";

serve(deletePv);
