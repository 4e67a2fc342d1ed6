import { serve } from "../../../shared/serve/serve.ts";
import { keepPod } from "./rule.ts";

serve(keepPod);
