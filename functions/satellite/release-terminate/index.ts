import { serve } from "../../../shared/serve/serve.ts";
import { releaseTerminate } from "./rule.ts";

serve(releaseTerminate);
