import { expect, test } from "vitest";
import { Contended } from "../../../../shared/contended.ts";
import type { Linstor } from "../linstor/client.ts";
import type { LinstorNode, Resource } from "../linstor/objects.ts";
import { linstorKey } from "../linstor-note.ts";
import { aCopy, aNode } from "../testing/data.ts";
import { aSatellite, aSeen, aVolume } from "../testing/seen.ts";
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

const alone = { going: [], haveOneLinstor: true };
const look = (here: readonly Resource[] | undefined) =>
  lookAtData(aLinstor(here), aSeen(), { facts: [], objects: new Map() }, alone);

test("a node that goes while it is read is looked at again: it is not one that has nothing to protect", async () => {
  await expect(look(undefined)).rejects.toThrow(Contended);
  expect(await look([])).toMatchObject({ data: { node: { name: "node-1" } } });
});

/** A LINSTOR with the volume pvc-1 and these copies of it; `node` is node-1, where it lists that. */
const withVolume = (copies: readonly Resource[], node?: LinstorNode) =>
  ({
    ...aLinstor([]),
    nodes: { get: async () => node, list: async () => [...(node ? [node] : []), aNode("node-2"), aNode("node-3")] },
    definitions: { list: async () => [{ name: "pvc-1" }], groups: async () => [] },
    resources: { onNode: async () => node && [], of: async () => copies },
  }) as unknown as Linstor;

const noted = { [linstorKey]: JSON.stringify({ v: 1, uid: "u1", url: "http://linstor:3370", node: "a" }) };

test("a node that has come in the place of another one does not have the data that the disks may have", async () => {
  const satellite = aSatellite({ record: false, metadata: { annotations: noted } });
  const lookAt = (uuid: string, copies: readonly Resource[]) =>
    lookAtData(
      withVolume(copies, { ...aNode("node-1"), uuid }),
      aSeen({ satellite }),
      { facts: [], objects: new Map() },
      alone,
    );
  const halted = { halted: { message: expect.stringMatching(/node-1 .* registered again, and of pvc-1 no copy/) } };
  expect(await lookAt("b", [])).toMatchObject(halted);
  expect(await lookAt("b", [aCopy("pvc-1", "node-2", "Outdated")])).toMatchObject(halted);
  expect(await lookAt("b", [aCopy("pvc-1", "node-2")])).toMatchObject({ data: { node: { uuid: "b" } } });
  expect(await lookAt("a", [])).toMatchObject({ data: { node: { uuid: "a" } } });
});

test("a volume that had no copy when the node was registered counts as one that may be on its disks", async () => {
  const note = JSON.stringify({ ...JSON.parse(noted[linstorKey]), without: ["pvc-1", "pvc-2", "pvc-3"] });
  const satellite = aSatellite({ record: false, metadata: { annotations: { [linstorKey]: note } } });
  const lookAt = (here: readonly Resource[]) => {
    const linstor = withVolume(here, { ...aNode("node-1"), uuid: "a" });
    const resources = { onNode: async () => here, of: async () => here };
    const volumes = { facts: [], objects: new Map(["pvc-1", "pvc-2"].map((name) => [name, aVolume(name)])) };
    return lookAtData({ ...linstor, resources }, aSeen({ satellite }), volumes, alone);
  };
  // Of `pvc-3` there is no PersistentVolume: LINSTOR may keep its definition for snapshots alone.
  expect(await lookAt([])).toHaveProperty("data.before", { "pvc-1": 1, "pvc-2": 1 });
  // Of one that is there now all its copies count.
  const { data } = (await lookAt([aCopy("pvc-1", "node-1")])) as { data: { before: object } };
  expect(data.before).toEqual({ "pvc-2": 1 });
});

test("a copy on a node that goes as well does not prove that an unlisted one is done with", async () => {
  const satellite = aSatellite({ record: false, metadata: { annotations: noted } });
  const lookBeside = (going: readonly string[]) =>
    lookAtData(
      withVolume([aCopy("pvc-1", "node-2")]),
      aSeen({ satellite }),
      { facts: [], objects: new Map() },
      { ...alone, going },
    );
  expect(await lookBeside(["node-3"])).toEqual({ data: undefined });
  const halted = { halted: { message: expect.stringMatching(/of pvc-1 no copy is UpToDate .* online and stays/) } };
  expect(await lookBeside(["node-2"])).toMatchObject(halted);
});
