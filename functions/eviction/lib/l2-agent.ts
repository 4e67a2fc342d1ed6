import type { Hint } from "../../../shared/event/hint.ts";
import { objectsIn } from "../../../shared/event/objects-in.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { type Kind, Node } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Subject } from "../../../shared/subject.ts";
import { agentsIn, findPod, isOutdated, type PodObject } from "./agent-pod.ts";
import { agreement, type Dependent, isApproved, whyUnmanaged } from "./dependent.ts";
import { bases, NeutronOVNAgent } from "./kinds.ts";
import { annotating } from "./names.ts";
import type { NeutronL2AgentObject } from "./schema.ts";
import type { Common } from "./settings.ts";

/** A NeutronL2Agent, or the NeutronOVNAgent in its place, with its Node and its pod, read live. */
export interface L2Agent extends Pick<Dependent, "node" | "inTheWay" | "isApproved"> {
  readonly object: NeutronL2AgentObject;
  readonly pod: PodObject | undefined;
  /** It is being deleted, or its pod was made of another template: it has to go, or its pod has. */
  readonly mustGo: boolean;
  /** Why nothing is done about either, as a sentence: a Node has one of the two, or both owners write its label. */
  readonly conflict: string | undefined;
  /** The sweep asks for more than a change does. */
  readonly isResync: boolean;
}

/** Milliseconds after which an agent beside the other sort is looked at again: a mistake that may stay for weeks. */
export const conflictPause = 300_000;

/** Of a Node's two sorts of agent, the other one. */
const otherThan = ({ kind }: Pick<Kind, "kind">) => bases.find((one) => one.kind !== kind) as Kind;

/**
 * The L2 or OVN agent of an event, or the one whose pod the event is about. With a new one comes the one of the other
 * sort, which has to say that the two are in conflict: no event is about that one.
 */
export function l2AgentsIn(hint: Hint): readonly Subject[] {
  const own = objectsIn(hint, bases);
  const beside = hint.change === "add" ? own.map((one) => ({ ...one, kind: otherThan(one.kind) })) : [];
  return [...own, ...beside, ...agentsIn(hint, bases)];
}

/** The L2 or OVN agent of this name, where there is one that is Holdfast's. @throws ApiError */
export async function findL2Agent(
  { kind, namespace = "", name = "", resync: isResync = false }: Subject,
  { client, settings }: { readonly client: Client; readonly settings: Common },
): Promise<readonly L2Agent[]> {
  if (namespace !== settings.agentNamespace) return [];
  const object = await client.get<NeutronL2AgentObject>(kind, namespace, name);
  if (!object || whyUnmanaged(object)) return [];
  const node = await client.get(Node, undefined, name);
  const { pod, inTheWay } = await findPod(object, client);
  const mustGo = isBeingDeleted(object) || (pod !== undefined && isOutdated(pod, object));
  const conflict = await conflictOf(object, client);
  return [{ object, node, pod, inTheWay, mustGo, conflict, isApproved: isApproved(object, settings), isResync }];
}

async function conflictOf({ kind, metadata: { namespace = "", name } }: KubernetesObject, client: Client) {
  const other = otherThan({ kind });
  if (!(await client.get(other, namespace, name))) return undefined;
  const sentence = `Node ${name} has a ${kind} and a ${other.kind}. Holdfast changes neither of them, because both`;
  return `${sentence} would set one label of the Node. Delete the resource that does not belong there.`;
}

/** What messages call an agent. */
export const nounOf = ({ kind }: KubernetesObject) => (kind === NeutronOVNAgent.kind ? "OVN agent" : "L2 agent");

/** What a person is asked before others have to leave the Node of an L2 agent. */
export const approvalWanted = (agent: NeutronL2AgentObject): string =>
  `The ${nounOf(agent)} has to go. When you agree, the compute node and the agents that need it leave its Node ` +
  `first, each with an agreement of its own. To agree, run ${annotating(agent, agreement(agent))}`;
