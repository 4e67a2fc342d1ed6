import { describe, expect, test } from "vitest";
import { Contended } from "../../../shared/contended.ts";
import { NotSent } from "../../../shared/system/command.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { deleteNode, evacuateNode, loseNode, restoreNode } from "./commands.ts";
import { registerNode } from "./configuration/commands.ts";
import type { Linstor } from "./linstor/client.ts";
import type { LinstorNode, Resource, Snapshot } from "./linstor/objects.ts";
import { aCopy, aNode } from "./testing/data.ts";

interface Seen {
  readonly node?: LinstorNode | undefined;
  readonly here?: readonly Resource[] | undefined;
  readonly snapshots?: readonly Snapshot[];
}

/** Which nodes are deleted in a LINSTOR that has this at the moment of the call. */
async function deletedIn(seen: Seen): Promise<readonly string[]> {
  const { node, here, snapshots } = { node: evacuated, here: [], snapshots: [], ...seen };
  const deleted: string[] = [];
  const client = {
    nodes: { get: async () => node, delete: async (name: string) => deleted.push(name) },
    resources: { onNode: async () => here },
    snapshots: { onNode: async () => snapshots },
  } as unknown as Linstor;
  const input = { at: undefined, node: "node-1" };
  await deleteNode(input)
    .send({ at: () => client } as never, input)
    .catch((error) => {
      expect(error).toBeInstanceOf(Contended);
      expect(error.message).toContain("node-1 has changed in LINSTOR");
      deleted.push("not sent");
    });
  return deleted;
}
const evacuated = aNode("node-1", { flags: ["EVACUATE"] });
const snapshot = { name: "s1", resource: "pvc-1", nodes: ["node-1"], flags: [] };

test("a node that is empty and evacuated is deleted", async () => {
  expect(await deletedIn({})).toEqual(["node-1"]);
});

test.each<[string, Seen]>([
  ["has a resource again", { here: [aCopy("pvc-1", "node-1")] }],
  ["has a snapshot again", { snapshots: [snapshot] }],
  ["is not evacuated any more", { node: aNode("node-1") }],
  ["is gone", { node: undefined, here: undefined }],
  ["goes meanwhile", { here: undefined }],
])("a node that %s when the call comes is not, which counts as a conflict", async (_, seen) => {
  expect(await deletedIn(seen)).toEqual(["not sent"]);
});

test("a node of which LINSTOR does not say what is on it is surely not deleted", async () => {
  const away = new SystemError("LINSTOR", "unreachable", "It does not answer.", { answered: true });
  const resources = { onNode: () => Promise.reject(away) };
  const client = { nodes: { get: async () => evacuated }, resources, snapshots: { onNode: async () => [] } };
  const input = { at: undefined, node: "node-1" };
  const sent = deleteNode(input).send({ at: () => client } as never, input);
  await expect(sent).rejects.toMatchObject({ name: "NotSent", cause: away });
});

test("a call to evacuate that LINSTOR has answered succeeds, also if LINSTOR cannot keep the answer", async () => {
  const sent: string[] = [];
  const client = {
    nodes: {
      evacuate: async (node: string) => {
        sent.push(`evacuate ${node}`);
        return [];
      },
      modify: async (node: string) => {
        sent.push(`modify ${node}`);
        throw new Error("connect ECONNREFUSED");
      },
    },
  } as unknown as Linstor;
  const input = { at: undefined, node: "node-1", called: "2026-01-01T00:00:00Z" };
  await evacuateNode(input).send({ at: () => client } as never, input);
  expect(sent).toEqual(["evacuate node-1", "modify node-1"]);
});

describe("a call that finds no connection to LINSTOR", () => {
  const named = { at: undefined, node: "node-1" };
  const address = { name: "default", address: "10.0.0.1", port: 3366, encryption: "Plain" } as const;
  const commands = [
    deleteNode(named),
    loseNode(named),
    restoreNode(named),
    evacuateNode({ ...named, called: "2026-01-01T00:00:00Z" }),
    registerNode({ ...named, address, props: {} }),
  ];

  test.each(commands.flatMap((one) => [[one.name, true, one] as const, [one.name, false, one] as const]))(
    "%s: is surely not sent: %s",
    async (_, unsent, { send, input }) => {
      const cause = new SystemError("LINSTOR", "unreachable", "LINSTOR could not be asked.", { unsent });
      const fail = () => Promise.reject(cause);
      const client = {
        nodes: { get: async () => evacuated, delete: fail, lose: fail, restore: fail, evacuate: fail, create: fail },
        resources: { onNode: async () => [] },
        snapshots: { onNode: async () => [] },
      };
      const thrown = await send({ at: () => client } as never, input).catch((error) => error);
      if (unsent) expect(thrown).toMatchObject({ name: NotSent.name, cause });
      else expect(thrown).toBe(cause);
    },
  );
});
