import { serve } from "../../../shared/serve/serve.ts";
import { expire } from "./rule.ts";

serve(expire);
