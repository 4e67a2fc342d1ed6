import type { SystemDeclaration } from "../../shared/system-declaration.ts";
import { volumeDefinition } from "./lib/definition.ts";

export const volume: SystemDeclaration = {
  name: "volume",
  doc:
    "MetalK8s Volumes: storage that Salt prepares on the nodes. It needs a Salt master, " +
    "with the states of knative/salt.",
  optional: true,
  definitions: [volumeDefinition],
};
