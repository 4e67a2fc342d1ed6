import { serve } from "../../../shared/serve/serve.ts";
import { deleteSatellite } from "./rule.ts";

serve(deleteSatellite);
