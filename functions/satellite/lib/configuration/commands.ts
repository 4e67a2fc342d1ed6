import { sendingFirst } from "../../../../shared/system/command.ts";
import { SystemError } from "../../../../shared/system/system-error.ts";
import { type Addressed, commandAt, type Named } from "../commands.ts";
import { codes, isLinstorError, LinstorError } from "../linstor/answer.ts";
import type { Address, PropertyChanges } from "../linstor/client.ts";
import { type Backing, storageKey } from "../pools/wanted-pool.ts";

/** Property of a LINSTOR controller: whether it gives up nodes that have been offline for a while. */
export const evictionKey = "DrbdOptions/AutoEvictAllowEviction";

/** Registers a satellite. That there is a node of its name already is seen, and judged, by the next look. */
export const registerNode = commandAt("register a node", async (client, { node, address, props }: Registered) => {
  await sendingFirst(() => client.nodes.create(node, address, props)).catch(unless(codes.nodeExists));
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
