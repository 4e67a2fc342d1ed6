import type { Kind } from "../../shared/kubernetes/kind.ts";
import { openDefinition } from "../cluster/open-definition.ts";

const core = { apiVersion: "cluster.x-k8s.io/v1beta2", namespaced: true } as const;
export const Machine = { ...core, kind: "Machine", plural: "machines" } as const satisfies Kind;
export const Cluster = { ...core, kind: "Cluster", plural: "clusters" } as const satisfies Kind;
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
export const VolumeAttachment = {
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  namespaced: false,
} as const satisfies Kind;

/** CustomResourceDefinitions as far as the stand-in needs them: Cluster API's own judge every field. */
export const definitions = [Machine, Cluster, GenericMachine].map((kind) => openDefinition(kind));
