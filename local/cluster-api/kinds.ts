import { Cluster, Machine } from "../../functions/satellite/lib/kinds.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { openDefinition } from "../cluster/open-definition.ts";

/** Infrastructure without a controller, as tests of Cluster API have it: gone as soon as it is deleted. */
export const GenericMachine = {
  apiVersion: "infrastructure.cluster.x-k8s.io/v1",
  kind: "GenericMachine",
  plural: "genericmachines",
  namespaced: true,
} as const satisfies Kind;
/** How a Machine names its infrastructure object, since v1beta2. */
export const infrastructureRef = (name: string) => ({
  apiGroup: "infrastructure.cluster.x-k8s.io",
  kind: GenericMachine.kind,
  name,
});

/** CustomResourceDefinitions as far as the stand-in needs them: Cluster API's own judge every field. */
export const definitions = [Machine, Cluster, GenericMachine].map((kind) => openDefinition(kind));
