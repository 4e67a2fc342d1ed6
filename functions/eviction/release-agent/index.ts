import { serve } from "../../../shared/serve/serve.ts";
import { releaseAgent } from "./rule.ts";

serve(releaseAgent);
