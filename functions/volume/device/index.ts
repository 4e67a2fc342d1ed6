import { serve } from "../../../shared/serve/serve.ts";
import { device } from "./rule.ts";

serve(device);
