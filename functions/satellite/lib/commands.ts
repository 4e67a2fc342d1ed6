import { type Command, command } from "../../../shared/system/command.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import type { Address, Linstor, PropertyChanges } from "./linstor/client.ts";
import { forgetAnswer, keepAnswer } from "./linstor/evacuate-answer.ts";
import { isLinstorError, LinstorError } from "./linstor/linstor-error.ts";
import { codes } from "./linstor/ret-code.ts";
import { linstor } from "./linstor/system.ts";
import { evictionKey } from "./names.ts";
import { type Backing, storageKey } from "./pools/wanted-pool.ts";

/** Which LINSTOR is called: the one that was looked at. */
interface Addressed {
  /** `controller` of the satellite that was seen. */
  readonly at: string | undefined;
}

/** A command to the LINSTOR that its input names, and to no other. */
function commandAt<Input extends Addressed>(
  name: string,
  send: (client: Linstor, input: Input) => Promise<void>,
): (input: Input) => Command {
  return command(linstor, name, async (controllers, input: Input) => send(controllers.at(input.at), input));
}

/** Registers a satellite. That there is a node of its name already is seen, and judged, by the next look. */
export const registerNode = commandAt("register a node", async (client, { node, address, props }: Registered) => {
  await client.nodes.create(node, address, props).catch(unless(codes.nodeExists));
});

/** Has a node's satellite looked for elsewhere. */
export const moveNode = commandAt("change a node's address", async (client, { node, address }: Placed) => {
  await client.nodes.setAddress(node, address);
});

export const setNodeProperties = commandAt("set properties of a node", async (client, { node, changes }: Changed) => {
  await client.nodes.modify(node, changes);
});

export const setPoolProperties = commandAt(
  "set properties of a storage pool",
  async (client, { node, pool, changes }: Changed & { readonly pool: string }) => {
    await client.pools.modify(node, pool, changes);
  },
);

/**
 * Makes a storage pool, and sets its properties when the satellite has taken it: LINSTOR keeps, and lists as if it were
 * well, what the satellite has refused. A pool without them is nothing to rely upon, and a person must look.
 */
export const createPool = commandAt(
  "create a storage pool",
  async (client, { node, pool, backing, changes }: Changed & { readonly pool: string; readonly backing: Backing }) => {
    const storage = { [storageKey]: backing.storage };
    const made = await client.pools.create(node, pool, backing.provider, storage).catch((error) => {
      if (isLinstorError(error, codes.poolExists)) return undefined;
      if (error instanceof LinstorError) throw new SystemError("LINSTOR", "refused", error.message, { cause: error });
      throw error;
    });
    if (made) await client.pools.modify(node, pool, changes);
  },
);

/**
 * LINSTOR is not to give a node up by itself that has been offline for an hour: with the policy Retain it would lose
 * its data.
 */
export const forbidEviction = commandAt("forbid the eviction of nodes", async (client, _input: Addressed) => {
  await client.controller.modify({ set: { [evictionKey]: "false" } });
});

interface Changed extends Named {
  readonly changes: PropertyChanges;
}
interface Evacuated extends Named {
  /** When it was decided, RFC 3339: what the call is known by. */
  readonly called: string;
}
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

interface Named extends Addressed {
  /** As LINSTOR has it. */
  readonly node: string;
}

/** Never twice at a time in one LINSTOR: who sends it has the Lease. What has come of it only a fresh read tells. */
export const evacuateNode = commandAt("evacuate a node", async (client, { node, called }: Evacuated) => {
  const entries = await client.nodes.evacuate(node).catch(async (error) => {
    // Refused as a whole or in part: that it was is what matters, whether or not LINSTOR can keep the words.
    if (error instanceof LinstorError)
      await client.nodes.modify(node, keepAnswer(error.entries, called)).catch(() => {});
    throw error;
  });
  await client.nodes.modify(node, keepAnswer(entries, called));
});

export const restoreNode = commandAt("restore a node", async (client, { node }: Named) => {
  await client.nodes.restore(node);
  await client.nodes.modify(node, forgetAnswer);
});

/** With whatever is on it: only after proof that nothing is. */
export const deleteNode = commandAt("delete a node", async (client, { node }: Named) => {
  await client.nodes.delete(node);
});

/** Gives up whatever is on it. LINSTOR refuses while the node is connected. */
export const loseNode = commandAt("give a node up as lost", async (client, { node }: Named) => {
  await client.nodes.lose(node);
});
