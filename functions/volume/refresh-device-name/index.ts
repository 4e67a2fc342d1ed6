import { serve } from "../../../shared/serve/serve.ts";
import { refreshDeviceName } from "./rule.ts";

serve(refreshDeviceName);
