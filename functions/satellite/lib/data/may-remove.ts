import { isEvicted, isOnline } from "../linstor/node.ts";
import type { DataFacts } from "./data-facts.ts";
import { emptiness } from "./emptiness.ts";
import { act, done, type Verdict, wait } from "./verdict.ts";

/**
 * How a node that was evacuated is removed: an evicted one is not deleted by DELETE, which answers 200 all the same.
 */
export type Removal = Verdict & { readonly by?: "delete" | "lose" };

/**
 * Whether an evacuated node may be removed from LINSTOR. The same proof as for the end of the evacuation is asked for
 * again, because LINSTOR deletes a node together with whatever is on it. `undefined`: LINSTOR does not list it.
 */
export function mayRemove(facts: DataFacts | undefined): Removal {
  if (!facts) return done("LINSTOR does not list the node any more.");
  const empty = emptiness(facts);
  if (empty.do !== "done") return empty;
  if (!isEvicted(facts.node))
    return { ...act("The node is empty in LINSTOR, and nothing is lost with it."), by: "delete" };
  if (isOnline(facts.node))
    return wait("LINSTOR has evicted the node, and its satellite is connected: it has to stop first.");
  return { ...act("LINSTOR has evicted the node, and it is empty."), by: "lose" };
}
