import { serve } from "../../../shared/serve/serve.ts";
import { createSatellite } from "./rule.ts";

serve(createSatellite);
