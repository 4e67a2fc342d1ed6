import { serve } from "../../../shared/serve/serve.ts";
import { moveServers } from "./rule.ts";

serve(moveServers);
