import { z } from "zod";
import { minute } from "../../../shared/duration.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readOwnAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
import { replaceAnnotation } from "../../../shared/kubernetes/replace-annotation.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { kindOf } from "./kinds.ts";
import { movingKey } from "./names.ts";
import type { NetworkAgent, Served, Service } from "./openstack/neutron.ts";
import type { Common } from "./settings.ts";

const time = z.iso.datetime();
const schema = z.looseObject({
  v: z.number().int().min(1).max(2),
  uid: z.string(),
  /** How many have come to other agents. */
  moved: z.number().int().min(0),
  /** What is moved, by its id: to which agent, when Neutron was asked last, and how often. */
  moving: z.record(z.string(), z.object({ to: z.string(), at: time, tries: z.number().int().min(1) })),
  /** When the agent was seen without anything to serve, and was disabled. */
  disabled: time.optional(),
});

type MovingRecord = z.output<typeof schema>;
type Noted = Omit<MovingRecord, "v" | "uid">;

/** Notes the moves of an agent's eviction. */
export const noteMoving = (object: KubernetesObject, record: Noted, more: Record<string, null> = {}): Write =>
  annotate(kindOf(object), object, { [movingKey]: textOf(object, record), ...more });

/** Makes the record again what it was, where it is still as it was noted. */
export const takeBackMoving = (object: KubernetesObject, noted: Noted): Write =>
  replaceAnnotation(kindOf(object), object, movingKey, textOf(object, noted), object.metadata.annotations?.[movingKey]);

const textOf = (object: KubernetesObject, record: Noted): string =>
  JSON.stringify({ v: 1, uid: object.metadata.uid, ...record });

/** The record of this very object; what is damaged, or was copied from another object, counts as none. */
export const readMoving = (object: KubernetesObject): MovingRecord | undefined =>
  readOwnAnnotation(object, movingKey, schema);

/** What Neutron has of an agent that is to leave, read in one look. */
export interface AgentHost {
  readonly service: Service;
  readonly self: NetworkAgent;
  readonly served: readonly Served[];
  /** The agents of what is moved, or comes next; `undefined` for what is gone. */
  readonly agentsOf: Readonly<Record<string, readonly NetworkAgent[] | undefined>>;
  /** Agents that may take over: they report, are enabled, and are not to leave themselves. */
  readonly targets: readonly NetworkAgent[];
  /** When it was looked, by OpenStack's clock alone: those of two instances of a function may be minutes apart. */
  readonly at: number;
}

/** What Neutron is asked next: agents that no longer serve it before and after another one is added. */
export interface Transfer {
  readonly id: string;
  readonly before: readonly string[];
  readonly add: string | undefined;
  readonly after: readonly string[];
}

/** An HA router that was added to an agent needs this long before it can take over. */
const standingBy = minute / 2;

/** What is still on its way counts as well: of a router that Neutron has on no agent, only the record knows. */
export const isAgentEmpty = ({ served }: AgentHost, { moving }: Pick<AgentPlan, "moving">): boolean =>
  served.length === 0 && Object.keys(moving).length === 0;

/** What is to be done about what an agent serves. `begins`: whether a move may begin, or only end. */
export function planAgent(
  host: AgentHost,
  record: Pick<MovingRecord, "moving" | "moved">,
  begins: boolean,
  settings: Pick<Common, "evictionMoves" | "evictionAttempts" | "evictionLookAgain">,
) {
  const { service, self, served, agentsOf } = host;
  // The record's moves without those that are over.
  const moving = Object.fromEntries(Object.entries(record.moving).filter(([id]) => !isOver(host, id)));
  const ids = Object.keys(moving);
  const tired = ids.filter((id) => (moving[id]?.tries ?? 0) >= settings.evictionAttempts && agentsOf[id]?.length !== 0);
  const waiting = served.map(({ id }) => id).filter((id) => !(id in moving));
  const canBegin = begins && ids.length - tired.length < settings.evictionMoves;
  const due = ids.find((id) => !tired.includes(id) && isDue(host, id, moving[id], settings.evictionLookAgain));
  const chosen = due ?? (canBegin ? waiting.find((id) => id in agentsOf) : undefined);
  const next = chosen === undefined ? undefined : transferOf(host, chosen, moving);
  const none = waiting.length + ids.length > 0 && host.targets.length === 0;
  const stuck = [
    ...(none ? [`No other ${service.agentType} is alive and enabled that could take over. Start one.`] : []),
    ...tired.map(
      (id) =>
        `The ${service.noun} ${id} has not moved, though Neutron was asked ${settings.evictionAttempts} times. See ` +
        "the Event OpenStackRefused and Neutron's log, remove the cause, and set the annotation " +
        "holdfast.dev/retry-eviction=true.",
    ),
  ];
  const moved = record.moved + Object.keys(record.moving).length - ids.length;
  const left = waiting.length + ids.length;
  const nouns = `${service.noun}${left === 1 ? "" : "s"}`;
  const begin = `Still to leave ${self.host}: ${left} ${nouns}, ${ids.length} of them moving.`;
  return {
    counters: {
      migrated: moved,
      migratable: none ? 0 : waiting.length,
      pending: 0,
      in_progress: ids.length - tired.length,
      unhandleable: tired.length + (none ? waiting.length : 0),
      unhandleable_agent: !self.isAlive,
    },
    next,
    moving,
    moved,
    stuck,
    message: [begin, ...stuck].join(" "),
  };
}

export type AgentPlan = ReturnType<typeof planAgent>;

const othersOf = ({ agentsOf, self }: AgentHost, id: string) => agentsOf[id]?.filter((agent) => agent.id !== self.id);
const isHa = ({ served, agentsOf }: AgentHost, id: string) =>
  served.some((one) => one.id === id && one.isHa) ||
  (agentsOf[id]?.some(({ haState }) => haState !== undefined) ?? false);

/** It is gone, or another agent that reports serves it, and this one does not any more. */
function isOver(host: AgentHost, id: string): boolean {
  const { served, agentsOf, self } = host;
  if (id in agentsOf && agentsOf[id] === undefined) return true;
  if (served.some((one) => one.id === id) || agentsOf[id]?.some((agent) => agent.id === self.id)) return false;
  const alive = othersOf(host, id)?.filter(({ isAlive }) => isAlive) ?? [];
  return isHa(host, id) ? alive.some(({ haState }) => haState === "active") : alive.length > 0;
}

/** Neutron is asked again after a pause: the last request may still be carried out. A router without agent is first. */
function isDue(
  host: AgentHost,
  id: string,
  move: MovingRecord["moving"][string] | undefined,
  lookAgain: number,
): boolean {
  if (!move) return false;
  const ago = host.at - Date.parse(move.at);
  if (host.agentsOf[id]?.length === 0) return ago >= lookAgain;
  if (isHa(host, id)) return ago >= standingBy && transferOf(host, id, { [id]: move }) !== undefined;
  return ago >= minute * 2 ** (move.tries - 1);
}

/** How one comes to another agent, or `undefined` where none can take it yet. */
function transferOf(host: AgentHost, id: string, moving: MovingRecord["moving"]): Transfer | undefined {
  const { service, self, targets } = host;
  const others = othersOf(host, id) ?? [];
  const alive = others.filter(({ isAlive }) => isAlive);
  const dead = others.filter(({ isAlive }) => !isAlive).map((agent) => agent.id);
  const before = moving[id];
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
    return alive.length === 0 && add !== undefined ? { id, before: [], add, after: [] } : undefined;
  }
  if (alive.length > 0) return { id, before: [], add: undefined, after: [self.id] };
  if (add === undefined) return undefined;
  const taken = [self.id, ...dead];
  return service.isShared ? { id, before: [], add, after: taken } : { id, before: taken, add, after: [] };
}

/** Spreads what leaves one agent over several. */
const load = (id: string) => [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
