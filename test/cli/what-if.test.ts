import { expect, test } from "vitest";
import { ifMachineDeleted } from "../../cli/what-if/machine.ts";
import { Machine } from "../../functions/satellite/lib/kinds.ts";
import { Node } from "../../shared/kubernetes/kind.ts";
import { manifest } from "../harness/manifest.ts";
import { openCliCluster } from "./open-cluster.ts";

test("where no function was found, what-if ends with 2 and says where to look for them", async () => {
  const cluster = await openCliCluster(["pvc-protection/release"]);
  await cluster.admin.create(Node, manifest(Node, { name: "w1" }));
  const asked = ["what-if", "delete", "node/w1"];
  expect(await cluster.holdfast(asked)).toMatchObject({ code: 0, err: "" });
  const { code, out } = await cluster.holdfast([...asked, "--install-namespace", "other"]);
  expect(code).toBe(2);
  expect(out).toContain("Not known: No function of Holdfast was found.");
});

test("of a Machine whose Node is on another cluster, what is on the Node is not known", async () => {
  const { admin } = await openCliCluster([]);
  const machine = manifest(Machine, { name: "w1" }, { status: { nodeRef: { name: "w1" } } });
  const { gaps } = await ifMachineDeleted(admin, Machine, machine, {
    installed: [],
    all: [],
    kinds: [],
    isGuess: false,
  });
  expect(gaps).toEqual([
    "Node w1 is not on this cluster, so its volumes are not known. " +
      "Give the --kubeconfig of the cluster that has the Node.",
  ]);
});
