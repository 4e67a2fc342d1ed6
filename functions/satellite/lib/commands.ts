import { command } from "../../../shared/system/command.ts";
import { linstor } from "./linstor/system.ts";

interface Named {
  /** As LINSTOR has it. */
  readonly node: string;
}

/** Never twice at a time in one LINSTOR: who sends it has the Lease. What has come of it only a fresh read tells. */
export const evacuateNode = command(linstor, "evacuate a node", async (client, { node }: Named) => {
  await client.nodes.evacuate(node);
});

export const restoreNode = command(linstor, "restore a node", async (client, { node }: Named) => {
  await client.nodes.restore(node);
});

/** With whatever is on it: only after proof that nothing is. */
export const deleteNode = command(linstor, "delete a node", async (client, { node }: Named) => {
  await client.nodes.delete(node);
});

/** Gives up whatever is on it. LINSTOR refuses while the node is connected. */
export const loseNode = command(linstor, "give a node up as lost", async (client, { node }: Named) => {
  await client.nodes.lose(node);
});
