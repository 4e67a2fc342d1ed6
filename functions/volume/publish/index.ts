import { serve } from "../../../shared/serve/serve.ts";
import { publish } from "./rule.ts";

serve(publish);
