import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  DaemonSet,
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
} from "../../functions/satellite/lib/kinds.ts";
import { type MachineObject, preDrainHook, preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import type { LinstorSatelliteObject } from "../../functions/satellite/lib/satellite.ts";
import { marksOn } from "../../functions/satellite/lib/volumes.ts";
import { Cluster, Machine } from "../../local/cluster-api/kinds.ts";
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
import { openSite, policyLabel, type Site } from "./satellite/site.ts";

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
  let site: Site;
  let api: ClusterApi | undefined;

  beforeAll(async () => {
    const server = realServer(cluster.kubeconfig, { throwaway: true });
    // First, because a source of what is not served does not run.
    if (typeof found !== "string") api = await startClusterApi(server.admin, cluster.kubeconfig, found);
    worlds = await realBackend(server, missingControllers(cluster));
    site = await openSite(worlds, nodes, api ? ["satellite/cluster-api"] : []);
    await Promise.all([control, target].map((node) => site.admit(node, "Evacuate")));
  });
  afterAll(async () => {
    try {
      await api?.stop();
    } finally {
      // Before their roles go: a function may still look then.
      const denied = site?.world.asked.filter(({ denied }) => denied);
      await site?.stop();
      await worlds?.stop();
      expect(denied).toEqual([]);
    }
  });

  const marksOf = async (volume: string, node: string) =>
    marksOn((await site.get(PersistentVolume, volume))?.metadata.annotations, node);
  const taint = (node: string) => {
    const mark = { key: "holdfast.test/leave", value: "yes" };
    // What is evicted for the one must not come back for want of the other.
    const taints = [
      { ...mark, effect: "NoExecute" },
      { ...mark, effect: "NoSchedule" },
    ];
    return site.merge(Node, node, { spec: { taints } });
  };
  const goodElsewhere = (volume: string, node: string) => {
    expect(site.linstor.goodCopies(volume)).toHaveLength(2);
    expect(site.linstor.goodCopies(volume)).not.toContain(node);
  };

  describe.skipIf(typeof found === "string")("with Cluster API", () => {
    let machines: MachineCluster | undefined;
    beforeAll(async () => {
      machines = await api?.createCluster(site.world.namespace);
      await machines?.machine("control", control, { labels: controlPlane });
    });

    const rescheduled = "VolumeTemporarilyMadeReschedulable";
    const eventsOn = async (name: string) => {
      type Seen = KubernetesObject & { reason: string; regarding: { name: string } };
      const events = site.world.admin.list<Seen>(Event, { namespace: site.world.namespace });
      return (await Array.fromAsync(events))
        .filter(({ regarding }) => regarding.name === name)
        .map(({ reason }) => reason);
    };
    const reasonOf = ({ status }: MachineObject) => status?.conditions?.find(({ type }) => type === "Deleting")?.reason;
    const reaches = (name: string, reason: string) =>
      site.until(`Machine ${name} is ${reason}`, async () => {
        const live = await site.get<MachineObject>(Machine, name);
        return live && reasonOf(live) === reason;
      });
    const isHooked = ({ metadata: { annotations = {} } }: MachineObject) =>
      preDrainHook in annotations && preTerminateHook in annotations;
    const hooked = (name: string) =>
      site.until(`Machine ${name} waits for its satellite`, async () => {
        const live = await site.get<MachineObject>(Machine, name);
        return live && isHooked(live);
      });

    /** What must be true when a hook is released; seen from here, before the request goes on. */
    function guard(node: string, volumes: readonly string[]): readonly string[] {
      const wrong: string[] = [];
      site.world.intercept(async ({ request: { path, body = "", method } }, send) => {
        if (method !== "PATCH" || !path.includes(`/machines/${node}`)) return send();
        for (const volume of volumes) {
          const live = await site.get(PersistentVolume, volume);
          const marks = marksOn(live?.metadata.annotations, node);
          if (body.includes(`"${preDrainHook}":null`)) {
            if (marks.length === 0) wrong.push(`${node} is drained while ${volume} is not marked`);
            if ((live as { spec?: { nodeAffinity?: object } })?.spec?.nodeAffinity)
              wrong.push(`${node} is drained while ${volume} can be used nowhere else`);
          }
          if (body.includes(`"${preTerminateHook}":null`)) {
            if (marks.length > 0) wrong.push(`${node} is released while ${volume} carries marks`);
            if (site.linstor.goodCopies(volume).includes(node))
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
      await site.admit(machine, "Evacuate");
      await site.workload("remote", [machine, target]);
      await site.workload("local", [machine, target], { bound: true });
      await machines?.machine(machine, machine);
      await hooked(machine);
      const wrong = guard(machine, ["remote", "local"]);
      const refusals: string[] = [];
      site.world.intercept(async ({ request }, send) => {
        const response = await send();
        if (response.status === 500 && request.path.includes("/machines/")) refusals.push(request.method);
        return response;
      });
      const seen = recordWatch(site.world, Machine, {});

      await site.delete(Machine, machine);
      await reaches(machine, "WaitingForPreDrainHook");
      await api?.stopManager();
      await site.until("the removal of the hook is refused", async () => refusals.includes("PATCH"));
      expect((await site.condition(machine, "SatelliteEvacuated"))?.reason).toBe("InProgress");
      await api?.startManager();
      await site.until("the claim shows that it is moved", async () => (await eventsOn("local")).includes(rescheduled));
      await site.gone(Machine, machine);
      await site.gone(Node, machine);
      await site.gone(LinstorSatellite, machine);
      seen.stop();
      for (const volume of ["remote", "local"]) expect(await eventsOn(volume)).toContain("VolumeAttachedForEvacuation");
      const allowed = ["SatelliteAllowedToBeDrained", "SatelliteAllowedToBeRemoved"];
      expect(await eventsOn(machine)).toEqual(expect.arrayContaining(allowed));

      expect(wrong).toEqual([]);
      expect(site.evacuated).toEqual([machine]);
      expect(await site.isListed(machine)).toBe(false);
      for (const volume of ["remote", "local"]) {
        expect(await marksOf(volume, machine)).toEqual([]);
        goodElsewhere(volume, machine);
        expect(await site.runsOn(volume)).toBe(target);
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
      await site.admit(saved, "Evacuate");
      await site.workload("kept", [saved, target]);
      await machines?.machine(saved, saved);
      await hooked(saved);
      await site.delete(Machine, saved);
      await site.until("it is marked", async () => (await marksOf("kept", saved)).length > 0);
      // Nothing brings back a Machine that is being deleted: what can be given up is its evacuation.
      await site.merge(LinstorSatelliteConfiguration, "evacuate", { spec: { deletionPolicy: "Retain" } });
      await site.merge(LinstorSatellite, saved, { spec: { deletionPolicy: "Retain" } });
      try {
        await site.until("no mark is left", async () => (await marksOf("kept", saved)).length === 0);
        await site.gone(Machine, saved);
        await site.gone(LinstorSatellite, saved);
        expect(await site.isListed(saved)).toBe(true);
        expect(site.linstor.goodCopies("kept").toSorted()).toEqual([saved, target]);
        expect(site.evacuated).not.toContain(saved);
      } finally {
        await site.merge(LinstorSatelliteConfiguration, "evacuate", { spec: { deletionPolicy: "Evacuate" } });
      }
    });

    test("a whole Cluster is deleted: both hooks go, its Machine, too, and LINSTOR is not called", {
      timeout,
    }, async () => {
      await site.admit(doomed, "Evacuate");
      await site.workload("doomed", [doomed, target]);
      const whole = await api?.createCluster(site.world.namespace, "whole");
      await whole?.machine(doomed, doomed);
      await hooked(doomed);
      await site.delete(Cluster, "whole");
      await site.gone(Machine, doomed);
      await site.gone(Cluster, "whole");
      // Cluster API leaves Nodes of a deleted Cluster behind.
      expect(await site.get(Node, doomed)).toBeDefined();
      expect(site.evacuated).not.toContain(doomed);
      expect(await marksOf("doomed", doomed)).toEqual([]);
      expect(site.linstor.goodCopies("doomed").toSorted()).toEqual([doomed, target]);
    });
  });

  test.skipIf(typeof found === "string")(
    "a Machine goes and its Node stays, because no control plane is there: nothing of the evacuation stays",
    { timeout },
    async () => {
      await site.admit(left, "Evacuate");
      site.linstor.addVolume("left", { copies: [left, target] });
      const lonely = await api?.createCluster(site.world.namespace, "lonely");
      await lonely?.machine(left, left);
      await site.until("the Machine waits for its satellite", async () => {
        const { annotations = {} } = (await site.get(Machine, left))?.metadata ?? {};
        return preTerminateHook in annotations;
      });
      await site.delete(Machine, left);
      await site.gone(Machine, left);
      await site.until("its evacuation is given up", async () => {
        return (await site.condition(left, "SatelliteEvacuated"))?.reason === "GivenUp";
      });
      await site.until("its record goes, which is the next write", async () => {
        return !(recordKey in ((await site.get(LinstorSatellite, left))?.metadata.annotations ?? {}));
      });
      expect((await site.get(Node, left))?.metadata.deletionTimestamp).toBeUndefined();
      expect(site.evacuated).toContain(left);
      goodElsewhere("left", left);
    },
  );

  test("a Node without a Machine has a taint that no satellite tolerates: its satellite is evacuated and goes", {
    timeout,
  }, async () => {
    await site.admit(bare, "Evacuate");
    await site.workload("bare", [bare, target], { bound: true });
    await taint(bare);
    await site.gone(LinstorSatellite, bare);
    expect(await site.isListed(bare)).toBe(false);
    expect(await marksOf("bare", bare)).toEqual([]);
    goodElsewhere("bare", bare);
    expect(await site.runsOn("bare")).toBe(target);
  });

  test("Retain: the LinstorSatellite goes, and LINSTOR keeps node and data", { timeout }, async () => {
    await site.admit(retained, "Delete");
    // Labels of the Node alone come to its pool in LINSTOR, and make its satellite another configuration's.
    await site.merge(Node, retained, { metadata: { labels: { rack: "5" } } });
    await site.until("LINSTOR knows its rack", async () => (await site.poolProperty(retained, "Aux/rack")) === "5");
    await site.merge(Node, retained, { metadata: { labels: { [policyLabel]: "Retain" } } });
    await site.until("its policy is another one", async () => {
      const satellite = await site.get<LinstorSatelliteObject>(LinstorSatellite, retained);
      return satellite?.spec?.deletionPolicy === "Retain";
    });
    site.linstor.addVolume("retained", { copies: [retained] });
    await taint(retained);
    await site.gone(LinstorSatellite, retained);
    expect(await site.isListed(retained)).toBe(true);
    expect(site.linstor.goodCopies("retained")).toEqual([retained]);
  });

  test("Delete: the satellite is stopped, and everything is given up once LINSTOR has lost it", {
    timeout,
  }, async () => {
    await site.admit(givenUp, "Delete");
    site.linstor.addVolume("given-up", { copies: [givenUp, target] });
    const set = () => site.world.admin.get(DaemonSet, "piraeus-datastore", `linstor-satellite.${givenUp}`);
    expect((await set())?.metadata.labels).toMatchObject({ "piraeus.io/linstor-satellite": expect.any(String) });
    await taint(givenUp);
    await site.gone(LinstorSatellite, givenUp);
    expect(await set()).toBeUndefined();
    expect(await site.isListed(givenUp)).toBe(false);
    expect(site.linstor.goodCopies("given-up")).toEqual([target]);
  });

  test("a LinstorCluster whose toleration passes the schema and has no key gets a Warning, and no satellite goes", {
    timeout,
  }, async () => {
    const spec = { tolerations: [{ operator: "Equal", value: "x" }] };
    const unclear = manifest(LinstorCluster, { name: "sat-unclear" }, { spec });
    const { uid } = (await site.world.admin.create(LinstorCluster, unclear)).metadata;
    await site.until("it has its Warning", async () => {
      type Seen = KubernetesObject & { reason: string; regarding: { uid?: string } };
      const events = await Array.fromAsync(site.world.admin.list<Seen>(Event, { namespace: "default" }));
      return events.some(({ reason, regarding }) => reason === "PlacementUnreadable" && regarding.uid === uid);
    });
    for (const node of [control, target])
      expect((await site.get(LinstorSatellite, node))?.metadata).not.toHaveProperty("deletionTimestamp");
    await site.delete(LinstorCluster, "sat-unclear");
  });

  if (typeof found !== "string")
    proveGrantsAreUsed(
      "satellite",
      {
        *[Symbol.iterator]() {
          yield* site.world.asked;
        },
      },
      elsewhere,
    );
});
