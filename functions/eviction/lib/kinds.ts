import { kindAmong } from "../../../shared/event/objects-in.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** A nova-compute, or an agent of Neutron, on the Node of the same name, as Yaook has it. */
const yaooks = <Group extends string, Name extends string>(group: Group, kind: Name) =>
  ({
    apiVersion: `${group}.yaook.cloud/v1`,
    kind,
    plural: `${kind.toLowerCase() as Lowercase<Name>}s`,
    namespaced: true,
    family: "nodes",
  }) as const satisfies Kind;

export const NovaComputeNode = yaooks("compute", "NovaComputeNode");
export const NeutronL2Agent = yaooks("network", "NeutronL2Agent");
export const NeutronOVNAgent = yaooks("network", "NeutronOVNAgent");
export const NeutronL3Agent = yaooks("network", "NeutronL3Agent");
export const NeutronDHCPAgent = yaooks("network", "NeutronDHCPAgent");
export const NeutronBGPDRAgent = yaooks("network", "NeutronBGPDRAgent");
export const NeutronOVNBGPAgent = yaooks("network", "NeutronOVNBGPAgent");

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
