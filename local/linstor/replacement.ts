import { forget, replaceTieBreaker, takeResourceDown } from "./delete-resource.ts";
import { type Entry, entry } from "./entry.ts";
import { diskState, isDiskless, isLeaving, type Resource, same } from "./model.ts";
import {
  findNode,
  isOnline,
  type Migration,
  newResource,
  notConnected,
  resourcesOf,
  resourcesOn,
  type World,
} from "./world.ts";

/** Deploys a replacement that was registered, once all of the call's are. */
export type Deploy = () => Promise<Entry[]>;

/** Milliseconds, as they were seen: until a disk is prepared, and how long LINSTOR waits for one that cannot sync. */
const preparing = 700;
const reasonable = 15_000;

/** Registers a replacement for a copy on a node, a new one, or a disk for the diskless one that is there. */
export function beginReplacement(world: World, source: Resource, target: string, pool: string): Deploy {
  const { database, clock } = world;
  const { name } = source;
  const diskless = resourcesOf(world, name).find((one) => one.node === target && isDiskless(one));
  const copy = diskless ?? newResource(world, name, target, { pool });
  const tieBreaker = diskless?.flags.has("TIE_BREAKER") ?? false;
  if (diskless) {
    for (const flag of ["DISK_ADD_REQUESTED", "DISK_ADDING"]) diskless.flags.add(flag);
    diskless.props.MigrateFrom = source.node.toUpperCase();
  } else database.resources.push(copy);
  const migration: Migration = {
    definition: name,
    source: source.node,
    target,
    wasInUse: source.inUse,
    premature: false,
    tieBreaker,
  };
  world.migrations.add(migration);

  return async () => {
    const deploying = world.deployTime;
    const known = isOnline(world, source.node);
    const before = known ? [] : [notConnected(source.node)];
    await clock.sleep(preparing);
    // A diskless copy is diskful from here on, while its disk is not attached yet.
    for (const flag of ["DISK_ADD_REQUESTED", "DISK_ADDING", "DISKLESS", "DRBD_DISKLESS", "TIE_BREAKER"])
      copy.flags.delete(flag);
    if (diskless) Object.assign(copy, { pool, disk: "Diskless" });
    await clock.sleep(deploying - preparing);
    Object.assign(copy, { pool, deployed: true, disk: "Inconsistent" });
    if (!known) {
      // There is no copy to synchronise from.
      await clock.sleep(reasonable);
      const time = "within reasonable time, check Satellite for errors.";
      const late = `Resource did not become ready on node '${target}' ${time}`;
      return [...before, entry("warning", 0, late)];
    }
    synchronise(world, copy, [migration]);
    if (migration.premature) settle(world, migration);
    return [];
  };
}

/** Brings a copy up to date, and ends the waits for it. */
function synchronise(world: World, copy: Resource, migrations: readonly Migration[]): void {
  const { clock, syncTime } = world;
  const from = clock.now() + 300;
  copy.sync = { from, until: from + syncTime };
  clock.after(copy.sync.until - clock.now(), () => {
    for (const migration of migrations) settle(world, migration);
  });
}

/**
 * What a satellite does when it has connected again: it receives what was stored for it meanwhile, so that replacements
 * of its copies begin which had no copy to synchronise from.
 */
export function resume(world: World, node: string): void {
  const good = (one: Resource) => !isLeaving(one) && diskState(one, world.clock.now()) === "UpToDate";
  for (const { name } of resourcesOn(world, node).filter(good)) {
    const migrations = [...world.migrations].filter(({ definition }) => definition === name);
    for (const copy of resourcesOf(world, name))
      if (!same(copy.node, node) && copy.deployed && copy.disk === "Inconsistent" && !copy.sync)
        synchronise(
          world,
          copy,
          migrations.filter(({ target }) => target === copy.node),
        );
  }
}

/** What the controller does when it hears that a replacement is UpToDate, unless it has been restarted since. */
export function settle(world: World, migration: Migration): void {
  const { definition, source, target, wasInUse } = migration;
  if (!world.migrations.has(migration) || !isOnline(world, target)) return;
  const copies = resourcesOf(world, definition);
  const [from, to] = [source, target].map((node) => copies.find((copy) => copy.node === node));
  if (!from || !to) {
    world.migrations.delete(migration);
    return;
  }
  // Only a use that the call itself has seen is waited for.
  if (from.inUse && wasInUse) return;
  world.migrations.delete(migration);
  delete to.props.MigrateFrom;
  if (migration.tieBreaker) from.props.tieBreakerDue = "true";
  void takeResourceDown(world, from).then((gone) => gone && replaceTieBreaker(world, from));
}

/** What is said of the snapshots of a copy, which no pool of a stand-in can send. */
export function shipSnapshots({ database }: World, source: Resource): Entry[] {
  const own = database.snapshots.filter(
    ({ resource, nodes }) => resource === source.name && nodes.includes(source.node),
  );
  if (!own.length) return [];
  const kind = database.pools.find(({ name, node }) => name === source.pool && node === source.node)?.kind ?? "";
  const cannot = entry("error", 983, `The storage pool kind ${kind} does not support snapshot shipping`);
  const others = database.snapshots.some(({ resource, nodes }) => resource === source.name && nodes.length > 1);
  const none =
    `Backup shipping of resource '${source.name}' cannot be started since there is no node available ` +
    `that supports backup shipping.`;
  return [...(others ? [cannot, cannot] : [cannot]), entry("error", 996, none)];
}

/** Removes a resource of which only the controller's database knows. */
export function forgetAll(world: World, node: string): void {
  for (const resource of world.database.resources.filter((one) => one.node === node)) forget(world, resource);
  const listed = findNode(world, node);
  world.database.nodes = world.database.nodes.filter((other) => other !== listed);
  world.database.pools = world.database.pools.filter((pool) => pool.node !== node);
}
