import { Cluster, LinstorCluster } from "../../../functions/satellite/lib/kinds.ts";
import type { Scenario } from "../scenario.ts";
import {
  addVolume,
  comeBack,
  deleteMachine,
  install,
  installApart,
  installWithBound,
  isGone,
  leave,
  linstorOf,
  machineIsGone,
  setPolicy,
  uidOf,
  until,
} from "./administrator.ts";
import { withSatellites } from "./settings.ts";

// What a satellite owns goes with it. A call to evacuate that was given up is waited out for ten minutes.
const usual = {
  setting: withSatellites,
  waits: true,
  sweepsAfterOutage: 12,
  controllers: ["garbage-collector-controller"],
};

/** Milliseconds in which a satellite is evacuated where nothing that it needs is away. */
const evacuatedWithin = 180_000;

/** What happens to Nodes with satellites. */
export const scenarios: readonly Scenario[] = [
  {
    ...usual,
    name: "machine-deleted",
    doc: "A Machine is deleted whose node has volumes: one used there and bound to it, one used, one at rest.",
    async act(user) {
      await installWithBound(user);
      await addVolume(user, "used", ["node-1", "node-3"], { used: true });
      await addVolume(user, "single", ["node-1"]);
      // What is new a function may not have seen yet.
      for (let round = 0; round < 16; round++) await user.pause(10_000);
      await deleteMachine(user, "node-1");
      await until(user, machineIsGone(user, "m-node-1"));
    },
  },
  {
    ...usual,
    name: "node-leaves-and-returns",
    doc: "A Node gets a taint, is evacuated, and gets its satellite back when the taint goes; twice.",
    async act(user) {
      await install(user, "Evacuate");
      await addVolume(user, "used", ["node-1", "node-2"], { used: true });
      for (const node of ["node-1", "node-2"]) {
        const uid = await uidOf(user, node);
        await user.pause(5_000);
        await leave(user, node);
        await until(user, isGone(user, uid));
        await user.pause(20_000);
        // Pods that are let back to a Node keep what they use there, and its satellite waits for them.
        if (!(await isGone(user, uid)())) return;
        await comeBack(user, node);
      }
    },
  },
  {
    ...usual,
    name: "two-at-once",
    doc:
      "Two Machines are deleted together whose nodes share a volume; one evacuation at a time is allowed, or any " +
      "number.",
    async act(user) {
      await install(user, "Evacuate", ["node-1", "node-2"]);
      if (user.random.below(2) === 0)
        await user.attempt("allows one evacuation at a time", (client) =>
          client.patch(LinstorCluster, undefined, "linstor", "merge", { spec: { maxConcurrentEvacuations: 1 } }),
        );
      await addVolume(user, "shared", ["node-1", "node-2"], { used: true });
      await addVolume(user, "other", ["node-2", "node-3"]);
      await deleteMachine(user, "node-1");
      await user.pause(20_000);
      await deleteMachine(user, "node-2");
      await until(user, machineIsGone(user, "m-node-1"));
      await until(user, machineIsGone(user, "m-node-2"));
    },
  },
  {
    ...usual,
    name: "policy-changed",
    doc: "While a Machine waits for its evacuation, the policy becomes Retain.",
    async act(user) {
      await installWithBound(user);
      await deleteMachine(user, "node-1");
      await user.pause(60_000);
      await setPolicy(user, "Retain");
      await until(user, machineIsGone(user, "m-node-1"));
    },
  },
  {
    ...usual,
    name: "manager-away",
    doc: "A Machine is deleted, and the controller of Machines goes away: its webhook refuses to release any hook.",
    async act(user) {
      await installWithBound(user);
      await deleteMachine(user, "node-1");
      await user.pause(20_000);
      linstorOf(user).stopManager();
      for (let round = 0; round < 4; round++) await user.pause(60_000);
      linstorOf(user).startManager();
      await until(user, machineIsGone(user, "m-node-1"));
    },
  },
  {
    ...usual,
    name: "satellite-away",
    doc: "The satellite of a node that leaves stops in the middle, or before, and comes back.",
    async act(user) {
      await install(user, "Evacuate");
      await addVolume(user, "used", ["node-1", "node-2"]);
      await addVolume(user, "single", ["node-1"]);
      const uid = await uidOf(user, "node-1");
      await leave(user, "node-1");
      await user.pause(5_000);
      linstorOf(user).stop("node-1");
      for (let round = 0; round < 4; round++) await user.pause(60_000);
      linstorOf(user).start("node-1");
      await until(user, isGone(user, uid));
    },
  },
  {
    ...usual,
    name: "given-up",
    doc:
      "A node with the policy Delete leaves, and its satellite stops a while later; one with Retain leaves and " +
      "returns.",
    async act(user) {
      await install(user, "Delete");
      await addVolume(user, "kept", ["node-1", "node-2"]);
      await leave(user, "node-1");
      await user.pause(30_000);
      linstorOf(user).stop("node-1");
      await until(user, async () => !linstorOf(user).standIn.nodes().includes("node-1"));
      await setPolicy(user, "Retain");
      const uid = await uidOf(user, "node-3");
      await leave(user, "node-3");
      await until(user, isGone(user, uid));
      await comeBack(user, "node-3");
    },
  },
  {
    ...usual,
    name: "last-copy-stale",
    doc:
      "A node leaves with the only copy of a volume, which is Outdated: nothing is done until a person has repaired " +
      "it.",
    async act(user) {
      await install(user, "Evacuate");
      await addVolume(user, "single", ["node-1"]);
      const { standIn, forfeited } = linstorOf(user);
      forfeited.add("single");
      standIn.setDisk("single", "node-1", "Outdated");
      const uid = await uidOf(user, "node-1");
      await leave(user, "node-1");
      await user.pause(90_000);
      if (standIn.hasCopy("single", "node-1")) {
        standIn.setDisk("single", "node-1", "UpToDate");
        // From here on only a call that the network sends twice may lose it.
        forfeited.delete("single");
      }
      await until(user, isGone(user, uid));
    },
  },
  {
    ...usual,
    name: "snapshot-left",
    doc: "A node leaves with a snapshot that LINSTOR cannot move: all is held until a person has deleted it.",
    async act(user) {
      await install(user, "Evacuate");
      await addVolume(user, "used", ["node-1", "node-2"], { used: true });
      const { standIn } = linstorOf(user);
      standIn.addSnapshot("backup", "used", ["node-1", "node-2"]);
      const uid = await uidOf(user, "node-1");
      await leave(user, "node-1");
      for (let round = 0; round < 4; round++) await user.pause(60_000);
      standIn.deleteSnapshot("backup", "used", "node-1");
      await until(user, isGone(user, uid));
    },
  },
  {
    ...usual,
    name: "two-linstors",
    doc: "Two Nodes leave whose satellites belong to two LINSTORs, and each is evacuated there.",
    parts: {
      texts: ["/linstor/", "/linstor@"],
      goesOn(history, now, away) {
        const node = away.includes("@") ? "node-1" : "node-5";
        const satellite = history.live("LinstorSatellite").find(({ metadata }) => metadata.name === node);
        return now - Date.parse(satellite?.metadata.deletionTimestamp ?? "") > evacuatedWithin
          ? `LinstorSatellite ${node} is still there, and its own LINSTOR was not away.`
          : undefined;
      },
    },
    async act(user) {
      await install(user, "Evacuate");
      await installApart(user);
      await addVolume(user, "used", ["node-1", "node-2"]);
      await addVolume(user, "apart", ["node-5"]);
      const uids = await Promise.all(["node-1", "node-5"].map((node) => uidOf(user, node)));
      for (const node of ["node-1", "node-5"]) await leave(user, node);
      for (const uid of uids) await until(user, isGone(user, uid));
    },
  },
  {
    ...usual,
    name: "cluster-deleted",
    doc: "Cluster API's Cluster is deleted with all its Machines, which nothing is evacuated for.",
    async act(user) {
      await install(user, "Evacuate", ["node-1"]);
      await addVolume(user, "used", ["node-1", "node-2"], { used: true });
      const hold = { metadata: { finalizers: ["example.com/hold"] } };
      await user.attempt("deletes the Cluster", async (client, namespace) => {
        await client.patch(Cluster, namespace, "test", "merge", hold);
        await client.delete(Cluster, namespace, "test");
      });
      await user.pause(5_000);
      await deleteMachine(user, "node-1");
      await until(user, machineIsGone(user, "m-node-1"));
    },
  },
];
