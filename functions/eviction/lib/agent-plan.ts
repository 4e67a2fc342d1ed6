import { z } from "zod";
import { minute } from "../../../shared/duration.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isOwnDamaged } from "../../../shared/kubernetes/damaged-annotation.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readOwnAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
import { replaceAnnotation } from "../../../shared/kubernetes/replace-annotation.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { lateFor } from "./dependent.ts";
import { kindOf } from "./kinds.ts";
import { movingKey, retrying } from "./names.ts";
import type { NetworkAgent, Served, Service } from "./openstack/neutron.ts";
import { counted } from "./report.ts";
import type { Common } from "./settings.ts";

const time = z.iso.datetime();
const schema = z.looseObject({
  v: z.number().int().min(1).max(2),
  uid: z.string(),
  /** Its id in Neutron, because another cloud may have an agent on a host of the same name; absent in older records. */
  agent: z.string().optional(),
  /** How many have come to other agents. */
  moved: z.number().int().min(0),
  /** What is moved, by its id: to which agent, when Neutron was asked last, and how often. */
  moving: z.record(z.string(), z.looseObject({ to: z.string(), at: time, tries: z.number().int().min(1) })),
  /** When the agent was seen without anything to serve, and was disabled. */
  disabled: time.optional(),
});

type MovingRecord = z.output<typeof schema>;
type Moving = MovingRecord["moving"][string];
type Noted = Omit<MovingRecord, "v" | "uid">;

/** Notes the moves of an agent's eviction. */
export const noteMoving = (object: KubernetesObject, record: Noted, more: Record<string, null> = {}): Write =>
  annotate(kindOf(object), object, { [movingKey]: textOf(object, record), ...more });

/** Makes the record again what it was, where it is still as it was noted. */
export const takeBackMoving = (object: KubernetesObject, noted: Noted): Write =>
  replaceAnnotation(kindOf(object), object, movingKey, textOf(object, noted), object.metadata.annotations?.[movingKey]);

const textOf = (object: KubernetesObject, record: Noted): string =>
  JSON.stringify({ v: 1, uid: object.metadata.uid, ...record });

/** The record of this very object; one that was copied from another object counts as none. */
export const readMoving = (object: KubernetesObject): MovingRecord | undefined =>
  readOwnAnnotation(object, movingKey, schema);

/** The record is there and does not say any more what is between two agents. */
export const isMovingDamaged = (object: KubernetesObject): boolean => isOwnDamaged(object, movingKey, schema);

/** What Neutron has of an agent that is to leave, read in one look. */
export interface AgentHost {
  readonly object: KubernetesObject;
  readonly service: Service;
  readonly self: NetworkAgent;
  readonly served: readonly Served[];
  /** The agents of what is moved, or comes next; `undefined` for what is gone. */
  readonly agentsOf: Readonly<Record<string, readonly NetworkAgent[] | undefined>>;
  /** Hosts whose agents are to leave as well. */
  readonly leaving: readonly string[];
  /** Agents that may take over. */
  readonly targets: readonly NetworkAgent[];
  /** When it was looked, by OpenStack's clock alone: those of two instances of a function may be minutes apart. */
  readonly at: number;
}

/** Whether it goes on to serve what it has. Of two agents that leave, each would else rely on the other one. */
export const keepsServing = ({ isAlive, isEnabled, host }: NetworkAgent, leaving: readonly string[]): boolean =>
  isAlive && isEnabled && !leaving.includes(host);

/** What Neutron is asked next: agents that no longer serve it before and after another one is added. */
export interface Transfer {
  readonly id: string;
  readonly before: readonly string[];
  readonly add: string | undefined;
  readonly after: readonly string[];
}

/** An HA router that was added to an agent needs this long before it can take over. */
const standingBy = minute / 2;

/**
 * What is to be done about what an agent serves. `begins`: whether a move may begin, or only end, because the eviction
 * was called off. Then what the agent still serves stays, and what no live agent serves may come back to it.
 */
export function planAgent(
  seen: AgentHost,
  record: Pick<MovingRecord, "moving" | "moved">,
  begins: boolean,
  settings: Pick<Common, "evictionMoves" | "evictionAttempts" | "evictionLookAgain">,
) {
  const { service, self, agentsOf } = seen;
  const isTarget = !begins && self.isAlive && self.isEnabled && self.isCentral;
  const host = isTarget ? { ...seen, targets: [...seen.targets, self] } : seen;
  const stays = (id: string) => !begins && isHere(host, id);
  // The record's moves without those that are over. What stays is noted as long as a late request may take it away.
  const moving = Object.fromEntries(
    Object.entries(record.moving).filter(
      ([id, { at }]) => !isOver(host, id) && !(stays(id) && host.at - Date.parse(at) > lateFor),
    ),
  );
  const moved = record.moved + Object.keys(record.moving).filter((id) => isOver(host, id)).length;
  const ids = Object.keys(moving);
  const open = Object.entries(moving).filter(([id]) => !stays(id));
  const isServed = (id: string) => agentsOf[id]?.some(({ isAlive }) => begins || isAlive);
  const tired = open.flatMap(([id, { tries }]) => (tries >= settings.evictionAttempts && isServed(id) ? id : []));
  const waiting = begins ? host.served.map(({ id }) => id).filter((id) => !(id in moving)) : [];
  const canBegin = ids.length - tired.length < settings.evictionMoves;
  const due = open.find(([id, move]) => !tired.includes(id) && isDue(host, id, move, settings.evictionLookAgain));
  const chosen = due?.[0] ?? (canBegin ? waiting.find((id) => id in agentsOf) : undefined);
  const next = chosen === undefined ? undefined : transferOf(host, chosen, moving[chosen]);
  const none = waiting.length + open.length > 0 && host.targets.length === 0;
  const lost = none ? open.filter(([id]) => agentsOf[id]?.length === 0) : [];
  const other = `${begins ? "other " : ""}${service.agentType}`;
  const tries = counted(settings.evictionAttempts, "time");
  const stuck = [
    ...(none ? [`No ${other} that is alive and enabled could take over. Start or enable one.`] : []),
    ...tired.map(
      (id) =>
        `Neutron has not moved the ${service.noun} ${id}, though Holdfast has asked ${tries}. Look at the Event ` +
        `OpenStackRefused and at Neutron's log, remove the cause, and run ${retrying(seen.object)} to try again.`,
    ),
  ];
  const nouns = counted(waiting.length + ids.length, service.noun);
  const message = begins
    ? `${nouns} still to leave the agent of ${self.host}, ${ids.length} moving now.`
    : `The eviction was called off during the move of ${nouns}. Holdfast waits until an agent serves each of them. ` +
      `Until ten minutes after Holdfast's last request, it watches those of the agent of ${self.host}: Neutron may ` +
      "carry a request out late, and take them away.";
  return {
    counters: {
      migrated: moved,
      migratable: none ? 0 : waiting.length,
      pending: 0,
      in_progress: ids.length - tired.length - lost.length,
      unhandleable: tired.length + lost.length + (none ? waiting.length : 0),
      unhandleable_agent: !self.isAlive,
    },
    next,
    moving,
    moved,
    stuck,
    message: [message, ...stuck].join(" "),
  };
}

export type AgentPlan = ReturnType<typeof planAgent>;

const othersOf = ({ agentsOf, self }: AgentHost, id: string) => agentsOf[id]?.filter((agent) => agent.id !== self.id);
const isHa = ({ served, agentsOf }: AgentHost, id: string) =>
  served.some((one) => one.id === id && one.isHa) ||
  (agentsOf[id]?.some(({ haState }) => haState !== undefined) ?? false);

const isHere = ({ served, agentsOf, self }: AgentHost, id: string) =>
  served.some((one) => one.id === id) || (agentsOf[id]?.some((agent) => agent.id === self.id) ?? false);

/** It is gone, or another agent that reports serves it, and this one does not any more. */
function isOver(host: AgentHost, id: string): boolean {
  const { agentsOf } = host;
  if (id in agentsOf && agentsOf[id] === undefined) return true;
  if (isHere(host, id)) return false;
  const alive = othersOf(host, id)?.filter(({ isAlive }) => isAlive) ?? [];
  return isHa(host, id) ? alive.some(({ haState }) => haState === "active") : alive.length > 0;
}

/** Neutron is asked again after a pause: the last request may still be carried out. A router without agent is first. */
function isDue(host: AgentHost, id: string, move: Moving, lookAgain: number): boolean {
  const ago = host.at - Date.parse(move.at);
  if (host.agentsOf[id]?.length === 0) return ago >= lookAgain;
  if (isHa(host, id)) return ago >= standingBy && transferOf(host, id, move) !== undefined;
  return ago >= minute * 2 ** (move.tries - 1);
}

/** How one comes to another agent, or `undefined` where none can take it yet. */
function transferOf(host: AgentHost, id: string, before: Moving | undefined): Transfer | undefined {
  const { service, self, targets } = host;
  const others = othersOf(host, id) ?? [];
  const alive = others.filter((agent) => keepsServing(agent, host.leaving));
  const dead = others.filter(({ isAlive }) => !isAlive).map((agent) => agent.id);
  const free = targets.filter((target) => !others.some((agent) => agent.id === target.id));
  // Where one has stopped in the middle it goes where it was to go; then each time to another agent, because what
  // Neutron refuses to one it may give to the next.
  const meant = before?.tries === 1 && others.length === 0 ? free.find((target) => target.id === before.to) : undefined;
  const add = meant?.id ?? free[((before?.tries ?? 0) + load(id)) % free.length]?.id;
  if (isHa(host, id)) {
    const here = host.agentsOf[id]?.find((agent) => agent.id === self.id);
    const canFollow = here?.haState === "active" ? ["active", "standby"] : ["active"];
    const takesOver = alive.some(({ haState = "" }) => canFollow.includes(haState));
    if (!before) return add !== undefined || alive.length > 0 ? { id, before: [], add, after: [] } : undefined;
    // Taking the active one away is what makes another one active, so another one has to stand by long enough.
    if (here && takesOver) return { id, before: [], add: undefined, after: [self.id] };
    // No other one becomes active: this one may take it back, when the eviction was called off.
    const again = alive.length === 0 ? add : free.find((target) => target.id === self.id)?.id;
    return again === undefined ? undefined : { id, before: [], add: again, after: [] };
  }
  if (alive.length > 0) return { id, before: [], add: undefined, after: [self.id] };
  if (add === undefined) return undefined;
  const taken = [self.id, ...dead].filter((agent) => agent !== add);
  return service.isShared ? { id, before: [], add, after: taken } : { id, before: taken, add, after: [] };
}

/** Spreads what leaves one agent over several. */
const load = (id: string) => [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
