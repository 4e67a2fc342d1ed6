import { type Entry, entry } from "./entry.ts";
import { findNode, notFound, resourcesOn, type World } from "./world.ts";

/** `PUT /v1/nodes/{node}/restore`: takes flags back. A migration that is under way goes on, and its source goes. */
export function restoreNode(world: World, given: string): Entry[] {
  const node = findNode(world, given);
  if (!node) return [notFound(given)];
  if (!node.flags.has("EVACUATE") && !node.flags.has("EVICTED"))
    return [entry("error", 0, `Node '${node.name}' is neither evicted nor evacuated.`)];
  for (const flag of ["EVACUATE", "EVICTED", "DELETE"]) node.flags.delete(flag);
  // DELETE stays, and so does MigrateFrom, for ever.
  for (const resource of resourcesOn(world, node.name))
    for (const flag of ["EVACUATE", "EVICTED", "INACTIVE"]) resource.flags.delete(flag);
  return [];
}
