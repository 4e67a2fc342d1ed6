import { serve } from "../../../shared/serve/serve.ts";
import { releaseDrain } from "./rule.ts";

serve(releaseDrain);
