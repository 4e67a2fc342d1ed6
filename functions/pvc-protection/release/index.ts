import { serve } from "../../../shared/serve/serve.ts";
import { release } from "./rule.ts";

serve(release);
