import { kindAmong } from "../../../shared/event/objects-in.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** A nova-compute on the Node of the same name, as Yaook has it. */
export const NovaComputeNode = {
  apiVersion: "compute.yaook.cloud/v1",
  kind: "NovaComputeNode",
  plural: "novacomputenodes",
  namespaced: true,
  family: "nodes",
} as const satisfies Kind;

/** An agent of Neutron on the Node of the same name, as Yaook has it. */
const agent = <Name extends string>(kind: Name) =>
  ({
    apiVersion: "network.yaook.cloud/v1",
    kind,
    plural: `${kind.toLowerCase() as Lowercase<Name>}s`,
    namespaced: true,
    family: "nodes",
  }) as const satisfies Kind;

export const NeutronL2Agent = agent("NeutronL2Agent");
export const NeutronOVNAgent = agent("NeutronOVNAgent");
export const NeutronL3Agent = agent("NeutronL3Agent");
export const NeutronDHCPAgent = agent("NeutronDHCPAgent");
export const NeutronBGPDRAgent = agent("NeutronBGPDRAgent");
export const NeutronOVNBGPAgent = agent("NeutronOVNBGPAgent");

/** What the others on a Node need, and of which a Node has one: their owner labels the Node. */
export const bases: readonly Kind[] = [NeutronL2Agent, NeutronOVNAgent];
/** Agents that need it, and of which Neutron says what they serve. */
export const servingAgents: readonly Kind[] = [NeutronL3Agent, NeutronDHCPAgent, NeutronBGPDRAgent];
/** Agents of Neutron that need it. */
export const agents: readonly Kind[] = [...servingAgents, NeutronOVNBGPAgent];
/** All that need it: each locks its Node. */
export const dependents: readonly Kind[] = [NovaComputeNode, ...agents];

/** The kind of a resource that was read. */
export function kindOf(object: KubernetesObject): Kind {
  const kind = kindAmong([...bases, ...dependents], object);
  if (!kind) throw new Error(`${object.kind} is no kind of this system.`);
  return kind;
}
