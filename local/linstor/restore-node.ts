import { type Entry, entry, nothing } from "./entry.ts";
import { findNode, notFound, resourcesOn, type World } from "./world.ts";

/** `PUT /v1/nodes/{node}/restore`: takes flags back. A migration that is under way goes on, and its source goes. */
export function restoreNode(world: World, given: string): Entry[] {
  const node = findNode(world, given);
  if (!node) return [notFound(given)];
  if (!node.flags.has("EVACUATE") && !node.flags.has("EVICTED"))
    return [entry("error", nothing, 0, `Node '${node.name}' is neither evicted nor evacuated.`)];
  for (const flag of ["EVACUATE", "EVICTED", "DELETE"]) node.flags.delete(flag);
  const here = resourcesOn(world, node.name);
  const entries: Entry[] = [];
  for (const resource of here) {
    // DELETE stays, and so does MigrateFrom, for ever.
    for (const flag of ["EVACUATE", "EVICTED", "INACTIVE"]) resource.flags.delete(flag);
    entries.push(entry("success", nothing, 3, `Resource restored on '${node.name}'`));
  }
  const done = { operation: "none", object: "node" } as const;
  return [...entries, entry("success", done, 0, `Successfully restored node ${node.name}`)];
}
