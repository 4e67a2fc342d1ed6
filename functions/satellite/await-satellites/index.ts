import { serve } from "../../../shared/serve/serve.ts";
import { awaitSatellites } from "./rule.ts";

serve(awaitSatellites);
