import { takeResourceDown } from "./delete-resource.ts";
import { type Entry, entry } from "./entry.ts";
import { isDiskless, isLeaving, same } from "./model.ts";
import { forgetAll } from "./replacement.ts";
import { findNode, notConnected, resourcesOf, resourcesOn, type World } from "./world.ts";

function noEffect(name: string, code: number, cause: string): Entry[] {
  return [entry("warning", code, `Deletion of node '${name}' had no effect.`, { cause })];
}

/** `DELETE /v1/nodes/{node}`: takes with it what is on the node, but what is in use. */
export async function deleteNode(world: World, given: string): Promise<Entry[]> {
  const node = findNode(world, given);
  if (!node) return noEffect(given, 3000, `Node '${given}' does not exist.`);
  const { name } = node;
  if (node.flags.has("EVICTED")) return noEffect(name, 1017, `Node '${name}' has been evicted.`);
  const here = resourcesOn(world, name);
  const refused = here.flatMap((resource) => {
    if (resource.inUse)
      return [
        entry("error", 997, `Resource '${resource.name}' is still in use.`, { cause: "Resource is mounted/in use." }),
      ];
    const others = resourcesOf(world, resource.name).filter((one) => one !== resource && !isLeaving(one));
    const isLast = !isDiskless(resource) && others.length > 0 && others.every(isDiskless);
    const message = `Last resource of '${resource.name}' with disk still has diskless resources attached.`;
    return isLast ? [entry("error", 997, message, { cause: "Resource still has diskless users." })] : [];
  });
  if (refused.length) {
    const message = "Cannot delete node, because it has in use or last diskful resources.";
    return [...refused, entry("error", 233, message, { cause: `Node '${name}' cannot be deleted.` })];
  }
  const snapshots = world.database.snapshots.filter(({ nodes }) => nodes.some((one) => same(one, name)));
  if (!here.length && !snapshots.length) {
    forgetAll(world, name);
    return [];
  }
  if (node.connection !== "ONLINE") {
    forgetAll(world, name);
    return [notConnected(name)];
  }
  node.flags.add("DELETE");
  for (const snapshot of snapshots) snapshot.nodes = snapshot.nodes.filter((one) => !same(one, name));
  world.database.snapshots = world.database.snapshots.filter(({ nodes }) => nodes.length > 0);
  if (!here.length) {
    // The node stays listed; nothing comes back to it.
    await world.clock.sleep(100);
    return [];
  }
  const results = await Promise.all(here.map((resource) => takeResourceDown(world, resource)));
  if (results.every(Boolean)) forgetAll(world, name);
  return here
    .filter((_, index) => !results[index])
    .map((one) => entry("error", 998, `(${name}) Shutdown of the DRBD resource '${one.name} failed`));
}

/** `DELETE /v1/nodes/{node}/lost`: gives the node up with all that it has. */
export async function loseNode(world: World, given: string): Promise<Entry[]> {
  const node = findNode(world, given);
  if (!node) return noEffect(given, 3000, `Node '${given}' does not exist.`);
  const { name } = node;
  if (node.connection !== "OFFLINE")
    return [entry("error", 506, `Node '${name}' still connected, please use the 'DelNode' api.`)];
  forgetAll(world, name);
  for (const snapshot of world.database.snapshots) snapshot.nodes = snapshot.nodes.filter((one) => !same(one, name));
  world.database.snapshots = world.database.snapshots.filter(({ nodes }) => nodes.length > 0);
  return [];
}
