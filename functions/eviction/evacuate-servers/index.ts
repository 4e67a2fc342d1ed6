import { serve } from "../../../shared/serve/serve.ts";
import { evacuateServers } from "./rule.ts";

serve(evacuateServers);
