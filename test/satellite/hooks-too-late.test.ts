import { beforeEach, describe, expect, test } from "vitest";
import { LinstorSatellite, LinstorSatelliteConfiguration, Machine } from "../../functions/satellite/lib/kinds.ts";
import { preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { GenericMachine } from "../../local/cluster-api/kinds.ts";
import { controlPlane } from "./administrator.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

const node = "node-1";
const other = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/other";

withHarness();

/** A Machine without hooks of ours that is being deleted, and waits for a hook of another controller. */
beforeEach(async () => {
  await admin.setPolicy(node, "Retain");
  await harness.machine("control", "node-4", controlPlane);
  await harness.machine("worker", node);
  await harness.volume("pvc-1", [node, "node-2"]);
});

const waitsForOther = () =>
  harness.until("it waits for the hook", async () =>
    JSON.stringify(await harness.get(Machine, "worker")).includes('"WaitingForPreTerminateHook"'),
  );

describe("the policy becomes Evacuate while a Machine is being deleted", () => {
  test("whose server is being deleted: it is not held, also where another hook has changed its reason", async () => {
    await harness.merge(GenericMachine, "worker", { metadata: { finalizers: ["test.example.com/vm"] } });
    await harness.delete(Machine, "worker");
    await harness.until(
      "the server is being deleted",
      async () => (await harness.get(GenericMachine, "worker"))?.metadata.deletionTimestamp,
    );
    await harness.merge(Machine, "worker", { metadata: { annotations: { [other]: "" } } });
    await waitsForOther();
    await harness.delete(LinstorSatelliteConfiguration, `only-${node}`);
    await harness.until("it is said", () =>
      harness.history.some((line) => /set-hooks .* can no longer be held/.test(line)),
    );
    expect(await admin.hooksOn("worker")).toEqual([]);
    await harness.merge(GenericMachine, "worker", { metadata: { finalizers: null } });
    await harness.merge(Machine, "worker", { metadata: { annotations: { [other]: null } } });
    await admin.gone(Machine, "worker");
  });

  test("whose server still runs: it is held", async () => {
    await harness.merge(Machine, "worker", { metadata: { annotations: { [other]: "" } } });
    await harness.delete(Machine, "worker");
    await waitsForOther();
    await harness.delete(LinstorSatelliteConfiguration, `only-${node}`);
    await harness.until("it is held", async () => (await admin.hooksOn("worker")).includes(preTerminateHook));
    await harness.merge(Machine, "worker", { metadata: { annotations: { [other]: null } } });
    await admin.gone(Machine, "worker");
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });

  test("whose hooks cannot be set at first: its evacuation does not begin before it is held", async () => {
    await harness.merge(Machine, "worker", { metadata: { annotations: { [other]: "" } } });
    harness.cutOff(/\/machines\/worker/, "read-only");
    await harness.delete(LinstorSatelliteConfiguration, `only-${node}`);
    await harness.delete(Machine, "worker");
    await waitsForOther();
    await harness.clock.advance(120_000);
    expect(harness.calls.evacuate).toEqual([]);
    harness.cutOff();
    await harness.until("it is held", async () => (await admin.hooksOn("worker")).includes(preTerminateHook));
    await harness.merge(Machine, "worker", { metadata: { annotations: { [other]: null } } });
    await admin.gone(Machine, "worker");
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });
});

test("the policy becomes Evacuate while the satellite is deleted: it begins when its Machine is held", async () => {
  await harness.volume("pvc-2", [node]);
  for (const name of ["node-2", "node-3", "node-4"])
    await admin.ask("PUT", `/v1/nodes/${name}`, { override_props: { AutoplaceTarget: "no" } });
  await harness.merge(LinstorSatelliteConfiguration, `only-${node}`, { spec: { deletionPolicy: "Delete" } });
  await harness.until("it has the policy", async () =>
    JSON.stringify((await harness.get(LinstorSatellite, node)) ?? {}).includes('"deletionPolicy":"Delete"'),
  );
  await admin.taint(node, "NoExecute");
  await harness.until("it is being deleted", async () => {
    return (await harness.get(LinstorSatellite, node))?.metadata.deletionTimestamp;
  });
  await harness.merge(LinstorSatellite, node, { spec: { deletionPolicy: "Evacuate" } });
  await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
  expect(await admin.hooksOn("worker")).toContain(preTerminateHook);
  await harness.delete(Machine, "worker");
  await harness.clock.advance(5 * 60_000);
  expect(await harness.get(Machine, "worker")).toBeDefined();
  expect(harness.linstor.goodCopies("pvc-2")).toEqual([node]);
  await admin.ask("PUT", "/v1/nodes/node-3", { override_props: { AutoplaceTarget: "yes" } });
  await admin.gone(Machine, "worker");
  expect(harness.linstor.goodCopies("pvc-2")).toEqual(["node-3"]);
});
