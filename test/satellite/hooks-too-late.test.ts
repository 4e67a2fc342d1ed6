import { beforeEach, describe, expect, test } from "vitest";
import { LinstorSatelliteConfiguration, Machine } from "../../functions/satellite/lib/kinds.ts";
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
