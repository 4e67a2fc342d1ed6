import type { SystemDeclaration } from "../../shared/system-declaration.ts";
import { customKinds } from "./lib/schema/custom-kinds.ts";

export const satellite: SystemDeclaration = {
  name: "satellite",
  doc:
    "Deletion policies of LINSTOR satellites, in place of piraeus-operator's own. It needs a LINSTOR controller, and " +
    "piraeus-operator stopped.",
  optional: true,
  definitions: customKinds,
};
