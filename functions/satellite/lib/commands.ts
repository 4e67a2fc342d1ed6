import { command } from "../../../shared/system/command.ts";
import type { Address } from "./linstor/client.ts";
import { isLinstorError } from "./linstor/linstor-error.ts";
import { codes } from "./linstor/ret-code.ts";
import { linstor } from "./linstor/system.ts";

/** Registers a satellite. That there is a node of its name already is seen, and judged, by the next look. */
export const registerNode = command(
  linstor,
  "register a node",
  async (client, { node, address, props }: Registered) => {
    await client.nodes.create(node, address, props).catch(unless(codes.nodeExists));
  },
);

/** Has a node's satellite looked for elsewhere. */
export const moveNode = command(linstor, "change a node's address", async (client, { node, address }: Placed) => {
  await client.nodes.setAddress(node, address);
});

interface Placed extends Named {
  readonly address: Address;
}
interface Registered extends Placed {
  readonly props: Readonly<Record<string, string>>;
}

function unless(code: number) {
  return (error: unknown) => {
    if (!isLinstorError(error, code)) throw error;
  };
}

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
