import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { command } from "../../../shared/system/command.ts";
import type { NetworkAgent } from "./openstack/neutron.ts";
import { openstack } from "./openstack/system.ts";

/**
 * The description that a disabled agent gets, for people, and to know it again; behind it stands the former one.
 * Whatever has this beginning was disabled for the resource of this name, be it a former one.
 */
export const reasonOn = (object: KubernetesObject, { description }: NetworkAgent): string =>
  description.startsWith(beginning(object)) ? description : `${beginning(object)}${description}`.slice(0, 255);

/** Whether Holdfast has disabled it, and so may enable it again. */
export const isDisabledByHoldfast = ({ isEnabled, description }: NetworkAgent, object: KubernetesObject): boolean =>
  !isEnabled && description.startsWith(beginning(object));

/** The description as it was before. */
export const formerDescription = ({ description }: NetworkAgent, object: KubernetesObject): string =>
  description.slice(beginning(object).length);

const beginning = ({ kind, metadata: { namespace, name } }: KubernetesObject) =>
  `Holdfast evicts ${kind} ${namespace}/${name}. `;

interface AgentState {
  readonly agent: string;
  readonly isEnabled: boolean;
  readonly description: string;
}

export const enableAgent = command(
  openstack,
  "enable or disable an agent of Neutron",
  ({ neutron }, { agent, isEnabled, description }: AgentState) => neutron.enable(agent, isEnabled, description),
);
