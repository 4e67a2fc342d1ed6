import type { SystemDeclaration } from "../../shared/system-declaration.ts";
import { customKinds } from "./lib/schema.ts";

export const eviction: SystemDeclaration = {
  name: "eviction",
  doc:
    "Safe eviction of OpenStack compute nodes, with Yaook's names. It needs OpenStack. Resources of Yaook's operator " +
    "are left alone until you hand them over.",
  optional: true,
  definitions: customKinds,
};
