import { serve } from "../../../shared/serve/serve.ts";
import { reportHealth } from "./rule.ts";

serve(reportHealth);
