import { serve } from "../../../shared/serve/serve.ts";
import { retire } from "./rule.ts";

serve(retire);
