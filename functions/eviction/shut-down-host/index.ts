import { serve } from "../../../shared/serve/serve.ts";
import { shutDownHost } from "./rule.ts";

serve(shutDownHost);
