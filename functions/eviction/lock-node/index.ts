import { serve } from "../../../shared/serve/serve.ts";
import { lockNode } from "./rule.ts";

serve(lockNode);
