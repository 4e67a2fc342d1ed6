import { takeResourceDown } from "./delete-resource.ts";
import { type Entry, entry } from "./entry.ts";
import { isDiskless, isLeaving, same } from "./model.ts";
import { forgetAll } from "./replacement.ts";
import { findNode, notConnected, resourcesOf, resourcesOn, satelliteOf, type World } from "./world.ts";

const aboutNode = (name: string) => ({ operation: "delete", object: "node", refs: { Node: name } }) as const;

function noEffect(name: string, code: number, cause: string): Entry[] {
  return [entry("warning", aboutNode(name), code, `Deletion of node '${name}' had no effect.`, { cause })];
}

/** `DELETE /v1/nodes/{node}`: takes with it what is on the node, but what is in use. */
export async function deleteNode(world: World, given: string): Promise<Entry[]> {
  const node = findNode(world, given);
  if (!node) return noEffect(given, 3000, `Node '${given}' does not exist.`);
  const { name } = node;
  if (node.flags.has("EVICTED")) return noEffect(name, 1017, `Node '${name}' has been evicted.`);
  const about = aboutNode(name);
  const here = resourcesOn(world, name);
  const refused = here.flatMap((resource) => {
    if (resource.inUse)
      return [
        entry("error", about, 997, `Resource '${resource.name}' is still in use.`, {
          cause: "Resource is mounted/in use.",
        }),
      ];
    const others = resourcesOf(world, resource.name).filter((one) => one !== resource && !isLeaving(one));
    const isLast = !isDiskless(resource) && others.length > 0 && others.every(isDiskless);
    const message = `Last resource of '${resource.name}' with disk still has diskless resources attached.`;
    return isLast ? [entry("error", about, 997, message, { cause: "Resource still has diskless users." })] : [];
  });
  if (refused.length) {
    const message = "Cannot delete node, because it has in use or last diskful resources.";
    return [...refused, entry("error", about, 233, message, { cause: `Node '${name}' cannot be deleted.` })];
  }
  const deleted = entry("success", about, 2, `Node '${name}' deleted.`);
  const snapshots = world.database.snapshots.filter(({ nodes }) => nodes.some((one) => same(one, name)));
  if (!here.length && !snapshots.length) {
    forgetAll(world, name);
    return [deleted];
  }
  const marked = entry("success", about, 2, `Node '${name}' marked for deletion.`);
  const gone = (resource: string) => entry("success", { ...about }, 3, `Deleted resource '${resource}' on '${name}'`);
  if (node.connection !== "ONLINE") {
    forgetAll(world, name);
    return [marked, notConnected(about, name), ...here.map((resource) => gone(resource.name)), deleted];
  }
  node.flags.add("DELETE");
  for (const snapshot of snapshots) snapshot.nodes = snapshot.nodes.filter((one) => !same(one, name));
  world.database.snapshots = world.database.snapshots.filter(({ nodes }) => nodes.length > 0);
  if (!here.length) {
    // The node stays listed; nothing comes back to it.
    await world.clock.sleep(100);
    return [
      marked,
      ...snapshots.map((one) =>
        entry("success", about, 2, `Snapshot '${one.name}' of resource '${one.resource}' on nodes '${name}' deleted.`),
      ),
    ];
  }
  const results = await Promise.all(here.map((resource) => takeResourceDown(world, resource)));
  if (results.every(Boolean)) {
    forgetAll(world, name);
    return [marked, ...here.map((resource) => gone(resource.name)), deleted];
  }
  const stuck = here.filter((_, index) => !results[index]);
  return [
    marked,
    ...stuck.map((one) => entry("error", about, 998, `(${name}) Shutdown of the DRBD resource '${one.name} failed`)),
  ];
}

/** `DELETE /v1/nodes/{node}/lost`: gives the node up with all that it has. */
export async function loseNode(world: World, given: string): Promise<Entry[]> {
  const node = findNode(world, given);
  if (!node) return noEffect(given, 3000, `Node '${given}' does not exist.`);
  const { name } = node;
  const about = aboutNode(name);
  if (node.connection !== "OFFLINE")
    return [entry("error", about, 506, `Node '${name}' still connected, please use the 'DelNode' api.`)];
  const shared = new Set(
    resourcesOn(world, name).flatMap((one) => resourcesOf(world, one.name).map((other) => other.node)),
  );
  shared.delete(name);
  forgetAll(world, name);
  for (const snapshot of world.database.snapshots) snapshot.nodes = snapshot.nodes.filter((one) => !same(one, name));
  world.database.snapshots = world.database.snapshots.filter(({ nodes }) => nodes.length > 0);
  const notified = [...shared].filter((peer) => satelliteOf(world, findNode(world, peer) ?? node)?.running);
  return [
    entry("success", about, 2, `Node '${name}' deleted.`),
    ...notified.map((peer) => entry("success", about, 3, `Notified '${peer}' that '${name}' has been lost`)),
  ];
}
