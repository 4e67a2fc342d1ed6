import { serve } from "../../../shared/serve/serve.ts";
import { releaseCompute } from "./rule.ts";

serve(releaseCompute);
