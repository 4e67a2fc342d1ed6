import { serve } from "../../../shared/serve/serve.ts";
import { project } from "./rule.ts";

serve(project);
