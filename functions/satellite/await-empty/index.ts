import { serve } from "../../../shared/serve/serve.ts";
import { awaitEmpty } from "./rule.ts";

serve(awaitEmpty);
