import { deleteAtOnce } from "./delete-resource.ts";
import { type Entry, entry } from "./entry.ts";
import { diskState, isDiskless, isLeaving, type Resource, same } from "./model.ts";
import { beginReplacement, type Deploy, shipSnapshots } from "./replacement.ts";
import {
  countsAsUpToDate,
  findNode,
  isOnline,
  notFound,
  placeCountOf,
  resourcesOf,
  resourcesOn,
  satelliteOf,
  type World,
} from "./world.ts";

interface Lists {
  target?: string[];
  do_not_target?: string[];
}

/** `PUT /v1/nodes/{node}/evacuate`, definition by definition, as the controller was seen to decide. */
export async function evacuate(world: World, name: string, { target, do_not_target }: Lists): Promise<Entry[]> {
  const node = findNode(world, name);
  if (!node) return [notFound(name)];
  const here = resourcesOn(world, name).filter((resource) => !isLeaving(resource));
  if (here.length && target && do_not_target)
    return [entry("error", 230, "Must not use --target and --do-not-target in the same request")];
  if (satelliteOf(world, node)?.hanging && node.connection === "ONLINE") {
    await world.clock.sleep(5_400);
    return [entry("error", 998)];
  }
  node.flags.add("EVACUATE");
  const errors: Entry[] = [];
  const entries: Entry[] = [];
  const begun: Deploy[] = [];
  const snapshots: Entry[] = [];
  for (const resource of here) {
    resource.flags.add("EVACUATE");
    resource.props.MigrateFrom = node.name.toUpperCase();
    if (!world.database.definitions.find((one) => one.name === resource.name)?.drbd) {
      entries.push(staying(`Resource '${resource.name}' cannot be evacuated as it is not a DRBD resource`));
    } else if (isDiskless(resource) && resource.inUse) {
      errors.push(
        entry("error", 997, `Resource '${resource.name}' is still in use.`, { cause: "Resource is mounted/in use." }),
      );
    } else if (goesAtOnce(world, resource)) {
      entries.push(...(await deleteAtOnce(world, resource)));
    } else {
      const decided = replace(world, resource, target, do_not_target);
      if (typeof decided === "function") {
        begun.push(decided);
        snapshots.push(...shipSnapshots(world, resource));
      } else if (decided) entries.push(decided);
    }
  }
  if (!here.length)
    for (const { name: snapshot, resource, nodes } of world.database.snapshots)
      if (nodes.some((one) => same(one, name)))
        entries.push(
          staying(
            `Snapshot '${snapshot}' of resource ${resource}' cannot be evacuated as no available storage pool ` +
              `was found`,
          ),
        );
  const deployed = await Promise.all(begun.map((deploy) => deploy()));
  return [...errors, ...entries, ...deployed.flat(), ...snapshots];
}

const staying = (message: string) => entry("warning", 1020, message);

/**
 * Without a replacement: a client, a source known to be stale, even the last one, and one of which there are enough.
 */
function goesAtOnce(world: World, source: Resource): boolean {
  if (isDiskless(source)) return true;
  const known = isOnline(world, source.node);
  if (known && diskState(source, world.clock.now()) !== "UpToDate") return true;
  const good = resourcesOf(world, source.name).filter((one) => one !== source && countsAsUpToDate(world, one));
  const placeCount = placeCountOf(world, source.name) ?? 2;
  return good.length >= placeCount;
}

function replace(world: World, source: Resource, target?: string[], avoid?: string[]): Entry | Deploy | undefined {
  const { database } = world;
  const others = resourcesOf(world, source.name).filter((one) => one !== source);
  // A copy that another call has registered a moment ago: this call settles on it, and takes it for UpToDate.
  const pending = others.find((one) => !one.deployed && !isDiskless(one) && isOnline(world, one.node));
  if (pending) {
    for (const migration of [...world.migrations])
      if (migration.target === pending.node && migration.definition === source.name) {
        if (migration.source === source.node) migration.premature = true;
        else world.migrations.add({ ...migration, source: source.node, wasInUse: source.inUse, premature: true });
      }
    return undefined;
  }
  // Of what has fewer copies than it should have LINSTOR moves none, whichever nodes are free.
  const copies = others.filter((one) => !isDiskless(one) && !isLeaving(one)).length + 1;
  if (copies < (placeCountOf(world, source.name) ?? 0))
    return staying(`Resource '${source.name}' cannot be evacuated as no available storage pool was found`);
  const known = target?.filter((name) => findNode(world, name));
  const allowed = (name: string) =>
    (!known?.length || known.some((one) => same(one, name))) && !avoid?.some((one) => same(one, name));
  const usable = database.nodes.filter(({ name, connection, flags, props }) => {
    return (
      connection === "ONLINE" && flags.size === 0 && !/^(false|no)$/i.test(props.AutoplaceTarget ?? "") && allowed(name)
    );
  });
  const poolOn = (name: string) => database.pools.find((pool) => same(pool.node, name));
  const free = usable.filter(({ name }) => poolOn(name));
  const chosen =
    free.find(({ name }) => others.some((one) => same(one.node, name) && isDiskless(one))) ??
    free.find(({ name }) => !others.some((one) => same(one.node, name)));
  if (!chosen) return staying(`Resource '${source.name}' cannot be evacuated as no available storage pool was found`);
  return beginReplacement(world, source, chosen.name, poolOn(chosen.name)?.name ?? "");
}
