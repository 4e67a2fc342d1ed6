import { serve } from "../../../shared/serve/serve.ts";
import { applyDaemonset } from "./rule.ts";

serve(applyDaemonset);
