import { serve } from "../../../shared/serve/serve.ts";
import { retain } from "./rule.ts";

serve(retain);
