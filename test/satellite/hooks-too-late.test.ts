import { beforeEach, describe, expect, test } from "vitest";
import { LinstorSatelliteConfiguration, Machine } from "../../functions/satellite/lib/kinds.ts";
import { preTerminateHook } from "../../functions/satellite/lib/names.ts";
import { GenericMachine } from "../../local/cluster-api/kinds.ts";
import type { Administrator } from "./administrator.ts";
import type { SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";

let bed: SatelliteBed;
let admin: Administrator;
const node = "node-1";
const controlPlane = { labels: { "cluster.x-k8s.io/control-plane": "" } };
const other = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/other";

onBed((opened, administrator) => {
  bed = opened;
  admin = administrator;
});

/** A Machine without hooks of ours that is being deleted, and waits for a hook of another controller. */
beforeEach(async () => {
  await admin.setPolicy(node, "Retain");
  await bed.machine("control", "node-4", controlPlane);
  await bed.machine("worker", node);
  await bed.volume("pvc-1", [node, "node-2"]);
});

const waitsForOther = () =>
  bed.until("it waits for the hook", async () =>
    JSON.stringify(await bed.get(Machine, "worker")).includes('"WaitingForPreTerminateHook"'),
  );

describe("the policy becomes Evacuate while a Machine is being deleted", () => {
  test("whose server is being deleted: it is not held, also where another hook has changed its reason", async () => {
    await bed.merge(GenericMachine, "worker", { metadata: { finalizers: ["test.example.com/vm"] } });
    await bed.delete(Machine, "worker");
    await bed.until(
      "the server is being deleted",
      async () => (await bed.get(GenericMachine, "worker"))?.metadata.deletionTimestamp,
    );
    await bed.merge(Machine, "worker", { metadata: { annotations: { [other]: "" } } });
    await waitsForOther();
    await bed.delete(LinstorSatelliteConfiguration, `only-${node}`);
    await bed.until("it is said", () => bed.history.some((line) => /set-hooks .* can no longer be held/.test(line)));
    expect(await admin.hooksOn("worker")).toEqual([]);
    await bed.merge(GenericMachine, "worker", { metadata: { finalizers: null } });
    await bed.merge(Machine, "worker", { metadata: { annotations: { [other]: null } } });
    await admin.gone(Machine, "worker");
  });

  test("whose server still runs: it is held", async () => {
    await bed.merge(Machine, "worker", { metadata: { annotations: { [other]: "" } } });
    await bed.delete(Machine, "worker");
    await waitsForOther();
    await bed.delete(LinstorSatelliteConfiguration, `only-${node}`);
    await bed.until("it is held", async () => (await admin.hooksOn("worker")).includes(preTerminateHook));
    await bed.merge(Machine, "worker", { metadata: { annotations: { [other]: null } } });
    await admin.gone(Machine, "worker");
    expect(bed.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });
});
