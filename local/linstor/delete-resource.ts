import type { Entry } from "./entry.ts";
import { isDiskless, type Resource, same } from "./model.ts";
import { findNode, isOnline, newResource, notConnected, resourcesOf, satelliteOf, type World } from "./world.ts";

/** Milliseconds as they were seen: until a satellite has taken a resource down, and until it tries again. */
const takeDown = 800;
const tryAgain = 10_000;

/**
 * Takes a resource from a node. Its satellite does it, now or when it is back; one that is in use, or whose satellite
 * fails, is tried again. Resolves with whether it is gone after the first try.
 */
export async function takeResourceDown(world: World, resource: Resource): Promise<boolean> {
  resource.flags.add("DELETE");
  await world.clock.sleep(takeDown);
  if (canGo(world, resource)) {
    forget(world, resource);
    return true;
  }
  const later = () => {
    if (!world.database.resources.includes(resource)) return;
    if (canGo(world, resource)) forget(world, resource);
    else world.clock.after(tryAgain, later);
  };
  // A satellite that comes back takes down at once what it has missed: see `reconnected`.
  world.clock.after(tryAgain, later);
  return false;
}

/** What a satellite does when it has connected again: what was to go meanwhile goes. */
export function catchUp(world: World, node: string): void {
  for (const resource of world.database.resources.filter((one) => same(one.node, node) && one.flags.has("DELETE")))
    world.clock.after(takeDown, () => {
      if (canGo(world, resource)) forget(world, resource);
    });
}

function canGo(world: World, { node, inUse }: Resource): boolean {
  const listed = findNode(world, node);
  const satellite = listed && satelliteOf(world, listed);
  return !inUse && isOnline(world, node) && satellite !== undefined && !satellite.failing && !satellite.hanging;
}

export function forget({ database }: World, resource: Resource): void {
  database.resources = database.resources.filter((other) => other !== resource);
}

/** The deletion that evacuate makes where no replacement is needed; answered when it is through. */
export async function deleteAtOnce(world: World, resource: Resource): Promise<Entry[]> {
  const { node } = resource;
  // It is said as it is prepared, and as it is marked.
  const entries = isOnline(world, node) ? [] : [notConnected(node), notConnected(node)];
  resource.flags.add("DRBD_DELETE");
  await world.clock.sleep(400);
  await takeResourceDown(world, resource);
  replaceTieBreaker(world, resource);
  return entries;
}

/** Two copies without a third of a kind get a tie breaker, where a node is free for it. */
export function replaceTieBreaker(world: World, gone: Resource): void {
  const { database } = world;
  const rest = resourcesOf(world, gone.name);
  const wanted = gone.flags.has("TIE_BREAKER") || gone.props.tieBreakerDue === "true";
  if (!wanted || rest.length !== 2 || rest.some(isDiskless)) return;
  const free = database.nodes.find(
    ({ name, connection, flags }) =>
      connection === "ONLINE" &&
      flags.size === 0 &&
      !same(name, gone.node) &&
      !rest.some((one) => same(one.node, name)),
  );
  if (!free) return;
  const flags = new Set(["DISKLESS", "DRBD_DISKLESS", "TIE_BREAKER"]);
  const made = newResource(world, gone.name, free.name, { pool: "DfltDisklessStorPool", flags, disk: "Diskless" });
  database.resources.push(made);
  world.clock.after(300, () => {
    made.deployed = true;
  });
}
