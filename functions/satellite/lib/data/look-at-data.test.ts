import { expect, test } from "vitest";
import { Contended } from "../../../../shared/contended.ts";
import type { Linstor } from "../linstor/client.ts";
import type { Resource } from "../linstor/objects.ts";
import { aNode } from "../testing/data.ts";
import { aSeen } from "../testing/seen.ts";
import { lookAtData } from "./look-at-data.ts";

/** A LINSTOR that lists node-1, and these resources on it; `undefined`: it does not know the node any more. */
const aLinstor = (here: readonly Resource[] | undefined) =>
  ({
    url: "http://linstor:3370",
    nodes: { get: async () => aNode("node-1"), list: async () => [aNode("node-1"), aNode("node-2")] },
    definitions: { list: async () => [], groups: async () => [] },
    resources: { onNode: async () => here, of: async () => [] },
    snapshots: { onNode: async () => [] },
  }) as unknown as Linstor;

const look = (here: readonly Resource[] | undefined) =>
  lookAtData(aLinstor(here), aSeen(), { facts: [], objects: new Map() }, []);

test("a node that goes while it is read is looked at again: it is not one that has nothing to protect", async () => {
  await expect(look(undefined)).rejects.toThrow(Contended);
  expect(await look([])).toMatchObject({ data: { node: { name: "node-1" } } });
});
