import type { Random } from "../../eventing/random.ts";
import type { Clock } from "../../shared/clock.ts";
import { type Entry, entry } from "./entry.ts";
import {
  type Database,
  diskState,
  isDiskless,
  isLeaving,
  type Node,
  type Resource,
  type Satellite,
  same,
} from "./model.ts";

/** A wait of the controller's memory: once the replacement is good, the source goes. A restart forgets it. */
export interface Migration {
  definition: string;
  source: string;
  target: string;
  /** Seen at the call. Only then the controller waits for the release. */
  wasInUse: boolean;
  /** By a second call, before the replacement had volumes, which counts as UpToDate. */
  premature: boolean;
  /** A tie breaker got a disk, so that another one is due. */
  tieBreaker: boolean;
}

/** What every part of the stand-in works on. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  /** Milliseconds that a replacement takes to synchronise. */
  readonly syncTime: number;
  /** Milliseconds that one takes until it is deployed, and the call that has begun it is answered. */
  deployTime: number;
  database: Database;
  /** By `address:port`. */
  readonly satellites: Map<string, Satellite>;
  readonly migrations: Set<Migration>;
}

export const findNode = ({ database }: World, name: string) => database.nodes.find((node) => same(node.name, name));
export const resourcesOn = ({ database }: World, node: string) =>
  database.resources.filter((one) => same(one.node, node)).sort((one, other) => (one.name < other.name ? -1 : 1));
export const resourcesOf = ({ database }: World, definition: string) =>
  database.resources.filter(({ name }) => name === definition);
export const satelliteOf = ({ satellites }: World, { interface: { address, port } }: Node) =>
  satellites.get(`${address}:${port}`);
export const isOnline = (world: World, node: string) => findNode(world, node)?.connection === "ONLINE";

/** A resource that is registered and that no satellite has made yet, unless `more` says otherwise. */
export const newResource = ({ random }: World, name: string, node: string, more: Partial<Resource>): Resource => ({
  ...{ name, node, uuid: random.uuid() },
  ...{ pool: "", flags: new Set<string>(), props: {}, deployed: false, inUse: false },
  ...{ disk: "Inconsistent", sync: undefined, ...more },
});

/** How the controller takes a copy: what it does not know counts as UpToDate. */
export function countsAsUpToDate(world: World, copy: Resource): boolean {
  if (isDiskless(copy) || isLeaving(copy)) return false;
  return !isOnline(world, copy.node) || (copy.deployed && diskState(copy, world.clock.now()) === "UpToDate");
}

export function placeCountOf({ database }: World, definition: string): number | undefined {
  const { group } = database.definitions.find(({ name }) => name === definition) ?? {};
  return group === undefined ? undefined : database.groups.get(group)?.placeCount;
}

export const notFound = (name: string): Entry =>
  entry("error", 300, `Node '${name}' not found.`, {
    cause: `The specified node '${name}' could not be found in the database`,
  });

export const notConnected = (node: string): Entry =>
  entry("warning", 1002, `No active connection to satellite '${node}'`, {
    details:
      "The controller is trying to (re-) establish a connection to the satellite. The controller stored the changes.",
  });
