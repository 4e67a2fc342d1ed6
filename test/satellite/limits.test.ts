import { describe, expect, test } from "vitest";
import { LinstorCluster, LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import { approvalKey } from "../../functions/satellite/mark/may-begin.ts";
import { GenericMachine } from "../../local/cluster-api/kinds.ts";
import { Node } from "../../shared/kubernetes/kind.ts";
import { controlPlane } from "./administrator.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

// What limits when evacuations begin: a person, a window, a budget.
const evacuated = "SatelliteEvacuated";
const say = (node: string, value: string) =>
  harness.merge(LinstorSatellite, node, { metadata: { annotations: { [approvalKey]: value } } });
const hasBegun = async (node: string) =>
  (await harness.get(LinstorSatellite, node))?.metadata.annotations?.[recordKey] !== undefined;
/** Nothing of the evacuation is there, and the Machine is held, also after an hour. */
async function waits(node: string): Promise<void> {
  await harness.clock.advance(60 * 60_000);
  expect([await hasBegun(node), harness.calls.evacuate]).toEqual([false, []]);
  expect(await admin.hooksOn("worker")).toHaveLength(2);
}

describe("where a person has to agree", () => {
  withHarness({ environment: { EVACUATION_APPROVAL: "annotation" } });

  test("a Machine that is being deleted is held until a person agrees, and goes after that", async () => {
    await admin.hookedMachine("node-1");
    await harness.volume("pvc-1", ["node-1", "node-2"], { attached: "node-1" });
    await harness.delete(Machine, "worker");
    const asked = /^Its Machine is being deleted: .* Run `kubectl annotate linstorsatellite node-1 --overwrite /;
    await admin.says("node-1", evacuated, asked);
    await waits("node-1");
    expect(await admin.marks("pvc-1", "node-1")).toEqual([]);
    await say("node-1", "yes");
    await waits("node-1");
    await say("node-1", "true");
    await admin.gone(Machine, "worker");
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
    expect(harness.linstor.goodCopies("pvc-1")).not.toContain("node-1");
  });

  test("a server that is deleted under its Machine is evacuated at once: nothing would hold it", async () => {
    await admin.hookedMachine("node-1");
    await harness.volume("pvc-1", ["node-1", "node-2"]);
    await harness.merge(GenericMachine, "worker", { metadata: { finalizers: ["test.example.com/vm"] } });
    await harness.delete(Machine, "worker");
    await admin.says("node-1", evacuated, /^Its Machine is being deleted: its evacuation begins when a person agrees/);
    await waits("node-1");
    await harness.delete(GenericMachine, "worker");
    await harness.until("it is evacuated", async () => harness.calls.evacuate.length > 0);
    await harness.until("its data is elsewhere", async () => !harness.linstor.goodCopies("pvc-1").includes("node-1"));
    await harness.merge(GenericMachine, "worker", { metadata: { finalizers: null } });
    await admin.gone(Machine, "worker");
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });

  test("one that a person has not agreed to is called off by the policy Retain, and keeps its data", async () => {
    await harness.volume("pvc-1", ["node-1", "node-2"]);
    await admin.taint("node-1", "NoExecute");
    await admin.says("node-1", evacuated, /^It is being deleted: its evacuation begins when a person agrees/);
    await harness.merge(LinstorSatellite, "node-1", { spec: { deletionPolicy: "Retain" } });
    await admin.gone(LinstorSatellite, "node-1");
    expect(harness.calls.evacuate).toEqual([]);
    expect(await admin.isListed("node-1")).toBe(true);
    await admin.untaint("node-1");
    await harness.until("it is there again", () => harness.get(LinstorSatellite, "node-1"));
    expect(harness.linstor.goodCopies("pvc-1")).toContain("node-1");
  });

  test("one that is not agreed to keeps no other from its evacuation", async () => {
    for (const name of ["node-1", "node-2"]) await admin.taint(name, "NoExecute");
    await admin.says("node-1", evacuated, /^It is being deleted: its evacuation begins when a person agrees/);
    await say("node-2", "true");
    await admin.gone(LinstorSatellite, "node-2");
    expect(await hasBegun("node-1")).toBe(false);
  });

  test("satellites whose LinstorCluster or Cluster is deleted ask no person", async () => {
    await admin.hookedMachine("node-1");
    await harness.delete(Machine, "worker");
    await admin.says("node-1", evacuated, /^Its Machine is being deleted/);
    await harness.delete(LinstorCluster, "linstorcluster");
    await admin.gone(Machine, "worker");
    expect(harness.calls.evacuate).toEqual([]);
  });
});

describe("where no person has to agree", () => {
  withHarness();

  test("a person holds an evacuation before it begins, and lets it begin", async () => {
    await admin.hookedMachine("node-1");
    await harness.volume("pvc-1", ["node-1", "node-2"]);
    await say("node-1", "false");
    await harness.delete(Machine, "worker");
    await admin.says("node-1", evacuated, /^Its Machine is being deleted: its evacuation begins when a person agrees/);
    await waits("node-1");
    await harness.merge(LinstorSatellite, "node-1", { metadata: { annotations: { [approvalKey]: null } } });
    await admin.gone(Machine, "worker");
    expect(harness.linstor.goodCopies("pvc-1")).not.toContain("node-1");
  });
});

describe("in windows", () => {
  // The clock of the harness begins at midnight.
  const environment = { EVACUATION_WINDOW: "0 4 * * *", EVACUATION_WINDOW_LENGTH: "30m" };
  withHarness({ environment: { ...environment, EVACUATION_TIME_ZONE: "Europe/Berlin" } });

  test("a Machine that is deleted outside of a window is held until one opens, and it is said until when", async () => {
    await admin.hookedMachine("node-1");
    await harness.volume("pvc-1", ["node-1", "node-2"]);
    const opens = new Date(harness.clock.now());
    opens.setUTCHours(3, 0, 0, 0);
    await harness.delete(Machine, "worker");
    await admin.says(
      "node-1",
      evacuated,
      new RegExp(`^It begins when a maintenance window opens: ${opens.toISOString()}`),
    );
    await waits("node-1");
    await harness.clock.advance(opens.getTime() - harness.clock.now() - 60_000);
    expect(await hasBegun("node-1")).toBe(false);
    await harness.until("it has begun", () => hasBegun("node-1"));
    expect(harness.clock.now() - opens.getTime()).toBeLessThan(10 * 60_000);
    await admin.gone(Machine, "worker");
    expect(harness.linstor.goodCopies("pvc-1")).not.toContain("node-1");
  });
});

describe("under a budget of one", () => {
  const zone = "topology.kubernetes.io/zone";
  withHarness({ environment: { EVACUATION_MAX_UNAVAILABLE: "1", EVACUATION_GROUP_LABEL: zone } });

  test("of two Machines that are deleted together, the second is evacuated after the first", async () => {
    await harness.machine("control", "node-4", controlPlane);
    const leaving = ["node-1", "node-2"];
    for (const name of leaving) {
      await harness.machine(`worker-${name}`, name);
      await admin.hooked(`worker-${name}`);
    }
    await harness.volume("pvc-1", ["node-1", "node-3"]);
    await harness.volume("pvc-2", ["node-2", "node-3"]);
    await Promise.all(leaving.map((name) => harness.delete(Machine, `worker-${name}`)));
    const said = new Set<string>();
    let most = 0;
    await harness.until("both Machines are gone", async () => {
      const reports = await Promise.all(leaving.map((name) => harness.condition(name, evacuated)));
      for (const { message = "" } of reports.filter((one) => one !== undefined)) said.add(message);
      const begun = await Promise.all(leaving.map(hasBegun));
      most = Math.max(most, begun.filter((one, index) => one && reports[index]?.status !== "True").length);
      const machines = await Promise.all(leaving.map((name) => harness.get(Machine, `worker-${name}`)));
      return machines.every((one) => one === undefined);
    });
    expect(most).toBe(1);
    const waited = /^It waits\. Of the 4 satellites, at most 1 may be out at the same time\. Out now: node-[12]\.$/;
    expect([...said].filter((message) => waited.test(message))).toHaveLength(1);
    for (const volume of ["pvc-1", "pvc-2"]) expect(harness.linstor.goodCopies(volume)).toHaveLength(2);
  });

  test("a satellite that is OFFLINE keeps others of its group waiting, and none of another group", async () => {
    for (const [index, name] of ["node-1", "node-2", "node-3", "node-4"].entries())
      await harness.merge(Node, name, { metadata: { labels: { [zone]: index < 2 ? "a" : "b" } } });
    harness.linstor.stopSatellite("10.0.0.2");
    const offline = async () => (await admin.linstorNode("node-2")).connection_status === "OFFLINE";
    await harness.until("it is OFFLINE", offline);
    for (const name of ["node-1", "node-3"]) await admin.taint(name, "NoExecute");
    await admin.says("node-1", evacuated, /^It waits\. Of the 2 satellites of the group a, .* Out now: node-2\.$/);
    await harness.until("the other has begun", () => hasBegun("node-3"));
    expect(await hasBegun("node-1")).toBe(false);
    harness.linstor.startSatellite("10.0.0.2");
    for (const name of ["node-1", "node-3"]) await admin.gone(LinstorSatellite, name);
  });

  test("two satellites that are OFFLINE and leave do not wait for each other", async () => {
    for (const index of [1, 2]) harness.linstor.stopSatellite(`10.0.0.${index}`);
    const isOffline = async (name: string) => (await admin.linstorNode(name)).connection_status === "OFFLINE";
    for (const name of ["node-1", "node-2"]) await harness.until("it is OFFLINE", () => isOffline(name));
    for (const name of ["node-1", "node-2"]) await admin.taint(name, "NoExecute");
    for (const name of ["node-1", "node-2"]) await admin.gone(LinstorSatellite, name);
  });
});
