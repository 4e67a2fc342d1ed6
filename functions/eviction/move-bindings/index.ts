import { serve } from "../../../shared/serve/serve.ts";
import { moveBindings } from "./rule.ts";

serve(moveBindings);
