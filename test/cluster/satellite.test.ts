import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  Cluster,
  DaemonSet,
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  Machine,
} from "../../functions/satellite/lib/kinds.ts";
import { type MachineObject, preDrainHook, preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import type { LinstorSatelliteObject } from "../../functions/satellite/lib/satellite.ts";
import { marksOn } from "../../functions/satellite/lib/volumes.ts";
import { Event, Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Backend } from "../harness/backend.ts";
import { manifest } from "../harness/manifest.ts";
import { realBackend } from "../harness/real-backend.ts";
import { realServer } from "../harness/real-server.ts";
import { recordWatch } from "../harness/recorded-watch.ts";
import { proveGrantsAreUsed } from "../scenarios/rights.ts";
import {
  type ClusterApi,
  controlPlane,
  findClusterApi,
  type MachineCluster,
  startClusterApi,
} from "./cluster-api/start-cluster-api.ts";
import { missingControllers } from "./missing-controllers.ts";
import { ownCluster } from "./own-cluster.ts";
import { openSite, policyLabel, type SatelliteHarness } from "./satellite/harness.ts";

const cluster = ownCluster;
/** What these scenarios have no occasion for. */
const elsewhere = [
  // Warnings of what does not go wrong here.
  ...[
    "apply-daemonset",
    "await-empty",
    "await-satellites",
    "evacuate",
    "register",
    "remove",
    "remove-lost",
    "restore",
    "retain",
    "set-hooks",
    "sync-pools",
    "unmark",
  ].map((rule) => `satellite-${rule}: create events.k8s.io/events`),
  // The number of evacuations at once is not limited here.
  "satellite-mark: create coordination.k8s.io/leases",
  "satellite-mark: patch coordination.k8s.io/leases",
  // No satellite is waited for that is not ready, none belongs to another controller, and no LinstorCluster changes.
  "satellite-await-satellites: patch piraeus.io/linstorsatellites",
  "satellite-await-satellites: patch piraeus.io/linstorsatellites/status",
  "satellite-set-hooks: patch piraeus.io/linstorsatellites/status",
  "satellite-delete: list piraeus.io/linstorsatellites",
  // The namespace of satellites is there: test/satellite/missing-namespace.test.ts plays that it is not.
  "satellite-apply-daemonset: list piraeus.io/linstorsatellites",
  "satellite-apply-daemonset: patch piraeus.io/linstorsatellites",
  // The API server asks for it where an object that is applied is not there yet.
  "satellite-apply-daemonset: create /configmaps",
  "satellite-apply-daemonset: create apps/daemonsets",
  // The kind of a Machine's server is its provider's: test/satellite/hooks-too-late.test.ts reads one.
  "satellite-set-hooks: get infrastructure.cluster.x-k8s.io/*",
];
const found = findClusterApi();
if (cluster && typeof found === "string")
  console.log(`Satellites with a real Machine controller are skipped: ${found}`);

/** The Machine controller does not look for 20 seconds after each drain, and functions look again after 10. */
const timeout = 240_000;
const nodes = ["machine", "saved", "left", "doomed", "bare", "retained", "given-up", "control", "target"].map(
  (name) => `sat-${name}`,
);
const [machine, saved, left, doomed, bare, retained, givenUp, control, target] = nodes as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

// Webhooks lie on loopback, which the API server must reach; and satellites belong to the cluster as a whole.
describe.skipIf(!cluster?.assets)("Satellites on a real control plane", () => {
  if (!cluster?.assets) return;
  let worlds: Backend;
  let harness: SatelliteHarness;
  let api: ClusterApi | undefined;

  beforeAll(async () => {
    const server = realServer(cluster.kubeconfig, { throwaway: true });
    // First, because a source of what is not served does not run.
    if (typeof found !== "string") api = await startClusterApi(server.admin, cluster.kubeconfig, found);
    worlds = await realBackend(server, missingControllers(cluster));
    harness = await openSite(worlds, nodes, api ? ["satellite/cluster-api"] : []);
    await Promise.all([control, target].map((node) => harness.admit(node, "Evacuate")));
  });
  afterAll(async () => {
    try {
      await api?.stop();
    } finally {
      // Before their roles go: a function may still look then.
      const denied = harness?.world.asked.filter(({ denied }) => denied);
      await harness?.stop();
      await worlds?.stop();
      expect(denied).toEqual([]);
    }
  });

  const marksOf = async (volume: string, node: string) =>
    marksOn((await harness.get(PersistentVolume, volume))?.metadata.annotations, node);
  const taint = (node: string) => {
    const mark = { key: "holdfast.test/leave", value: "yes" };
    // What is evicted for the one must not come back for want of the other.
    const taints = [
      { ...mark, effect: "NoExecute" },
      { ...mark, effect: "NoSchedule" },
    ];
    return harness.merge(Node, node, { spec: { taints } });
  };
  const goodElsewhere = (volume: string, node: string) => {
    expect(harness.linstor.goodCopies(volume)).toHaveLength(2);
    expect(harness.linstor.goodCopies(volume)).not.toContain(node);
  };

  describe.skipIf(typeof found === "string")("with Cluster API", () => {
    let machines: MachineCluster | undefined;
    beforeAll(async () => {
      machines = await api?.createCluster(harness.world.namespace);
      await machines?.machine("control", control, { labels: controlPlane });
    });

    const rescheduled = "VolumeTemporarilyMadeReschedulable";
    const eventsOn = async (name: string) => {
      type Seen = KubernetesObject & { reason: string; regarding: { name: string } };
      const events = harness.world.admin.list<Seen>(Event, { namespace: harness.world.namespace });
      return (await Array.fromAsync(events))
        .filter(({ regarding }) => regarding.name === name)
        .map(({ reason }) => reason);
    };
    const reasonOf = ({ status }: MachineObject) => status?.conditions?.find(({ type }) => type === "Deleting")?.reason;
    const reaches = (name: string, reason: string) =>
      harness.until(`Machine ${name} is ${reason}`, async () => {
        const live = await harness.get<MachineObject>(Machine, name);
        return live && reasonOf(live) === reason;
      });
    const isHooked = ({ metadata: { annotations = {} } }: MachineObject) =>
      preDrainHook in annotations && preTerminateHook in annotations;
    const hooked = (name: string) =>
      harness.until(`Machine ${name} waits for its satellite`, async () => {
        const live = await harness.get<MachineObject>(Machine, name);
        return live && isHooked(live);
      });

    /** What must be true when a hook is released; seen from here, before the request goes on. */
    function guard(node: string, volumes: readonly string[]): readonly string[] {
      const wrong: string[] = [];
      harness.world.intercept(async ({ request: { path, body = "", method } }, send) => {
        if (method !== "PATCH" || !path.includes(`/machines/${node}`)) return send();
        for (const volume of volumes) {
          const live = await harness.get(PersistentVolume, volume);
          const marks = marksOn(live?.metadata.annotations, node);
          if (body.includes(`"${preDrainHook}":null`)) {
            if (marks.length === 0) wrong.push(`${node} is drained while ${volume} is not marked`);
            if ((live as { spec?: { nodeAffinity?: object } })?.spec?.nodeAffinity)
              wrong.push(`${node} is drained while ${volume} can be used nowhere else`);
          }
          if (body.includes(`"${preTerminateHook}":null`)) {
            if (marks.length > 0) wrong.push(`${node} is released while ${volume} carries marks`);
            if (harness.linstor.goodCopies(volume).includes(node))
              wrong.push(`${node} is released with a copy of ${volume}`);
          }
        }
        return send();
      });
      return wrong;
    }

    test("a Machine is deleted, its manager away for a while: all nine steps, to the last finalizer", {
      timeout,
    }, async () => {
      await harness.admit(machine, "Evacuate");
      await harness.workload("remote", [machine, target]);
      await harness.workload("local", [machine, target], { bound: true });
      await machines?.machine(machine, machine);
      await hooked(machine);
      const wrong = guard(machine, ["remote", "local"]);
      const refusals: string[] = [];
      harness.world.intercept(async ({ request }, send) => {
        const response = await send();
        if (response.status === 500 && request.path.includes("/machines/")) refusals.push(request.method);
        return response;
      });
      const seen = recordWatch(harness.world, Machine, {});

      await harness.delete(Machine, machine);
      await reaches(machine, "WaitingForPreDrainHook");
      await api?.stopManager();
      await harness.until("the removal of the hook is refused", async () => refusals.includes("PATCH"));
      expect((await harness.condition(machine, "SatelliteEvacuated"))?.reason).toBe("InProgress");
      await api?.startManager();
      await harness.until("the claim shows that it is moved", async () =>
        (await eventsOn("local")).includes(rescheduled),
      );
      await harness.gone(Machine, machine);
      await harness.gone(Node, machine);
      await harness.gone(LinstorSatellite, machine);
      seen.stop();
      for (const volume of ["remote", "local"]) expect(await eventsOn(volume)).toContain("VolumeAttachedForEvacuation");
      const allowed = ["SatelliteAllowedToBeDrained", "SatelliteAllowedToBeRemoved"];
      expect(await eventsOn(machine)).toEqual(expect.arrayContaining(allowed));

      expect(wrong).toEqual([]);
      expect(harness.evacuated).toEqual([machine]);
      expect(await harness.isListed(machine)).toBe(false);
      for (const volume of ["remote", "local"]) {
        expect(await marksOf(volume, machine)).toEqual([]);
        goodElsewhere(volume, machine);
        expect(await harness.runsOn(volume)).toBe(target);
      }
      const course = seen.lines
        .map(({ object }) => object as MachineObject)
        .filter(({ metadata }) => metadata.name === machine && metadata.deletionTimestamp)
        .map(({ metadata: { annotations = {} } }) =>
          [preDrainHook, preTerminateHook].filter((key) => key in annotations),
        );
      const changes = course.filter((hooks, index) => index === 0 || hooks.length !== course[index - 1]?.length);
      expect(changes).toEqual([[preDrainHook, preTerminateHook], [preTerminateHook], []]);
    });

    test("the policy becomes Retain while a Machine leaves: marks and hooks go, and data stays", {
      timeout,
    }, async () => {
      await harness.admit(saved, "Evacuate");
      await harness.workload("kept", [saved, target]);
      await machines?.machine(saved, saved);
      await hooked(saved);
      await harness.delete(Machine, saved);
      await harness.until("it is marked", async () => (await marksOf("kept", saved)).length > 0);
      // Nothing brings back a Machine that is being deleted: what can be given up is its evacuation.
      await harness.merge(LinstorSatelliteConfiguration, "evacuate", { spec: { deletionPolicy: "Retain" } });
      await harness.merge(LinstorSatellite, saved, { spec: { deletionPolicy: "Retain" } });
      try {
        await harness.until("no mark is left", async () => (await marksOf("kept", saved)).length === 0);
        await harness.gone(Machine, saved);
        await harness.gone(LinstorSatellite, saved);
        expect(await harness.isListed(saved)).toBe(true);
        expect(harness.linstor.goodCopies("kept").toSorted()).toEqual([saved, target]);
        expect(harness.evacuated).not.toContain(saved);
      } finally {
        await harness.merge(LinstorSatelliteConfiguration, "evacuate", { spec: { deletionPolicy: "Evacuate" } });
      }
    });

    test("a whole Cluster is deleted: both hooks go, its Machine, too, and LINSTOR is not called", {
      timeout,
    }, async () => {
      await harness.admit(doomed, "Evacuate");
      await harness.workload("doomed", [doomed, target]);
      const whole = await api?.createCluster(harness.world.namespace, "whole");
      await whole?.machine(doomed, doomed);
      await hooked(doomed);
      await harness.delete(Cluster, "whole");
      await harness.gone(Machine, doomed);
      await harness.gone(Cluster, "whole");
      // Cluster API leaves Nodes of a deleted Cluster behind.
      expect(await harness.get(Node, doomed)).toBeDefined();
      expect(harness.evacuated).not.toContain(doomed);
      expect(await marksOf("doomed", doomed)).toEqual([]);
      expect(harness.linstor.goodCopies("doomed").toSorted()).toEqual([doomed, target]);
    });
  });

  test.skipIf(typeof found === "string")(
    "a Machine goes and its Node stays, because no control plane is there: nothing of the evacuation stays",
    { timeout },
    async () => {
      await harness.admit(left, "Evacuate");
      harness.linstor.addVolume("left", { copies: [left, target] });
      const lonely = await api?.createCluster(harness.world.namespace, "lonely");
      await lonely?.machine(left, left);
      await harness.until("the Machine waits for its satellite", async () => {
        const { annotations = {} } = (await harness.get(Machine, left))?.metadata ?? {};
        return preTerminateHook in annotations;
      });
      await harness.delete(Machine, left);
      await harness.gone(Machine, left);
      await harness.until("its evacuation is given up", async () => {
        return (await harness.condition(left, "SatelliteEvacuated"))?.reason === "GivenUp";
      });
      await harness.until("its record goes, which is the next write", async () => {
        return !(recordKey in ((await harness.get(LinstorSatellite, left))?.metadata.annotations ?? {}));
      });
      expect((await harness.get(Node, left))?.metadata.deletionTimestamp).toBeUndefined();
      expect(harness.evacuated).toContain(left);
      goodElsewhere("left", left);
    },
  );

  test("a Node without a Machine has a taint that no satellite tolerates: its satellite is evacuated and goes", {
    timeout,
  }, async () => {
    await harness.admit(bare, "Evacuate");
    await harness.workload("bare", [bare, target], { bound: true });
    await taint(bare);
    await harness.gone(LinstorSatellite, bare);
    expect(await harness.isListed(bare)).toBe(false);
    expect(await marksOf("bare", bare)).toEqual([]);
    goodElsewhere("bare", bare);
    expect(await harness.runsOn("bare")).toBe(target);
  });

  test("Retain: the LinstorSatellite goes, and LINSTOR keeps node and data", { timeout }, async () => {
    await harness.admit(retained, "Delete");
    // Labels of the Node alone come to its pool in LINSTOR, and make its satellite another configuration's.
    await harness.merge(Node, retained, { metadata: { labels: { rack: "5" } } });
    await harness.until(
      "LINSTOR knows its rack",
      async () => (await harness.poolProperty(retained, "Aux/rack")) === "5",
    );
    await harness.merge(Node, retained, { metadata: { labels: { [policyLabel]: "Retain" } } });
    await harness.until("its policy is another one", async () => {
      const satellite = await harness.get<LinstorSatelliteObject>(LinstorSatellite, retained);
      return satellite?.spec?.deletionPolicy === "Retain";
    });
    harness.linstor.addVolume("retained", { copies: [retained] });
    await taint(retained);
    await harness.gone(LinstorSatellite, retained);
    expect(await harness.isListed(retained)).toBe(true);
    expect(harness.linstor.goodCopies("retained")).toEqual([retained]);
  });

  test("Delete: the satellite is stopped, and everything is given up once LINSTOR has lost it", {
    timeout,
  }, async () => {
    await harness.admit(givenUp, "Delete");
    harness.linstor.addVolume("given-up", { copies: [givenUp, target] });
    const set = () => harness.world.admin.get(DaemonSet, "piraeus-datastore", `linstor-satellite.${givenUp}`);
    expect((await set())?.metadata.labels).toMatchObject({ "piraeus.io/linstor-satellite": expect.any(String) });
    await taint(givenUp);
    await harness.gone(LinstorSatellite, givenUp);
    expect(await set()).toBeUndefined();
    expect(await harness.isListed(givenUp)).toBe(false);
    expect(harness.linstor.goodCopies("given-up")).toEqual([target]);
  });

  test("a LinstorCluster whose toleration passes the schema and has no key gets a Warning, and no satellite goes", {
    timeout,
  }, async () => {
    const spec = { tolerations: [{ operator: "Equal", value: "x" }] };
    const unclear = manifest(LinstorCluster, { name: "sat-unclear" }, { spec });
    const { uid } = (await harness.world.admin.create(LinstorCluster, unclear)).metadata;
    await harness.until("it has its Warning", async () => {
      type Seen = KubernetesObject & { reason: string; regarding: { uid?: string } };
      const events = await Array.fromAsync(harness.world.admin.list<Seen>(Event, { namespace: "default" }));
      return events.some(({ reason, regarding }) => reason === "PlacementUnreadable" && regarding.uid === uid);
    });
    for (const node of [control, target])
      expect((await harness.get(LinstorSatellite, node))?.metadata).not.toHaveProperty("deletionTimestamp");
    await harness.delete(LinstorCluster, "sat-unclear");
  });

  if (typeof found !== "string")
    proveGrantsAreUsed(
      "satellite",
      {
        *[Symbol.iterator]() {
          yield* harness.world.asked;
        },
      },
      elsewhere,
    );
});
