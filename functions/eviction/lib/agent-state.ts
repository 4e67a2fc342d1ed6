import { Contended } from "../../../shared/contended.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { command } from "../../../shared/system/command.ts";
import type { NetworkAgent, Service } from "./openstack/neutron.ts";
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
  readonly service: Service;
  /** As it was looked at. */
  readonly self: NetworkAgent;
  readonly isEnabled: boolean;
  readonly description: string;
}

/** Sent only if the agent is as it was looked at. Throws Contended otherwise, for another look. */
export const enableAgent = command(
  openstack,
  "enable or disable an agent of Neutron",
  ({ neutron }, { self, isEnabled, description }: AgentState) => neutron.enable(self.id, isEnabled, description),
  async ({ neutron }, { service, self }) => {
    const live = (await neutron.agents(service)).find(({ id }) => id === self.id);
    if (live?.isEnabled !== self.isEnabled || live.description !== self.description)
      throw new Contended(`The ${service.agentType} of ${self.host} has just changed: Holdfast left it alone.`);
  },
);
