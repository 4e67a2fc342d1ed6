import { serve } from "../../../shared/serve/serve.ts";
import { awaitReattach } from "./rule.ts";

serve(awaitReattach);
