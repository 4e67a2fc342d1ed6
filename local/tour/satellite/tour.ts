import {
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  Machine,
  VolumeAttachment,
} from "../../../functions/satellite/lib/kinds.ts";
import { preDrainHook, preTerminateHook } from "../../../functions/satellite/lib/machine.ts";
import { conditions, type LinstorSatelliteObject } from "../../../functions/satellite/lib/satellite.ts";
import { marksFor, type VolumeAttachmentObject } from "../../../functions/satellite/lib/volumes.ts";
import { type Kind, Namespace, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { OwnCluster } from "../../cluster/running-cluster.ts";
import { withSettings } from "../../cluster/with-settings.ts";
import { aborted } from "../../time/aborted.ts";
import { tourNamespace } from "../namespace.ts";
import { oftenSwept } from "../often-swept.ts";
import type { Proof, Step } from "../play.ts";
import type { Tour, TourWorld } from "../tour.ts";
import { type StandIns, startStandIns, storageLabel, storageNodes } from "./stand-ins.ts";

/** Satellites from end to end: retained, given up, and evacuated with the Machine that goes. */
export const tour: Tour = { title: "Satellite deletion policies", ownCluster: true, steps };

const [evacuated, retained, lost, other] = storageNodes;
const policies = { [evacuated]: "Evacuate", [retained]: "Retain", [lost]: "Delete" };
const volume = "pvc-database";
/** As `SATELLITE_NAMESPACE` is by default. */
const satelliteNamespace = "piraeus-datastore";

function steps(world: TourWorld): Step[] {
  const { client, own } = world;
  let standIns: StandIns;
  let restoreSweep = async () => {};

  const satellite = (node: string) => client.get<LinstorSatelliteObject>(LinstorSatellite, undefined, node);
  const create = (kind: Kind, object: { metadata: object; spec?: object }) =>
    client.create(kind, { apiVersion: kind.apiVersion, kind: kind.kind, ...object } as unknown as KubernetesObject);
  const taint = (node: string, taints: object[] | null) =>
    client.patch(Node, undefined, node, "merge", { spec: { taints } });
  const leave = (node: string) => taint(node, [{ key: "holdfast-tour", value: "broken", effect: "NoExecute" }]);
  const isGone = async (node: string) => !(await satellite(node));
  const annotationsOf = async (kind: Kind, name: string, namespace?: string) =>
    (await client.get(kind, namespace, name))?.metadata.annotations ?? {};

  /** All that the conditions of a satellite have said, the latest last. */
  const conditionsOf = (node: string) =>
    (standIns.history as readonly LinstorSatelliteObject[])
      .filter(({ metadata }) => metadata.name === node)
      .flatMap(({ status }) => status?.conditions ?? []);
  /** A condition as kubectl shows it. */
  const shown = (found: ReturnType<typeof conditionsOf>[number] | undefined) =>
    found && `${found.type} ${found.status} ${found.reason}: ${found.message}`;
  const lastSaid = (type: string) => shown(conditionsOf(evacuated).findLast((one) => one.type === type));
  const usedElsewhere = async () => {
    const all = await Array.fromAsync(client.list<VolumeAttachmentObject>(VolumeAttachment));
    return all.some(({ spec }) => spec.source.persistentVolumeName === volume && spec.nodeName !== evacuated);
  };
  const versionsOf = (name: string) =>
    standIns.history.map(({ metadata }) => metadata).filter((metadata) => metadata.name === name);

  /** A condition that said so. */
  const says = (what: string, node: string, type: string, text = ""): Proof => ({
    what,
    check: async () => shown(conditionsOf(node).find((one) => one.type === type && one.message.includes(text))),
  });

  const install = async (cluster: OwnCluster) => {
    // Where the DaemonSets of satellites belong; without it each of them would say that it is missing.
    await create(Namespace, { metadata: { name: satelliteNamespace } });
    const started = await startStandIns(world, cluster);
    standIns = started;
    await cluster.install(["access/satellite", "satellite", "satellite/cluster-api"], (object) =>
      withSettings(object, "satellite", { LINSTOR_URL: started.url, SATELLITE_LOOK_AGAIN: "1000" }),
    );
    started.follow();
    restoreSweep = await oftenSwept(world);
    for (const [node, deletionPolicy] of Object.entries(policies)) {
      const spec = { nodeSelector: { "linbit.com/hostname": node }, deletionPolicy };
      await create(LinstorSatelliteConfiguration, { metadata: { name: node }, spec });
    }
    await create(LinstorCluster, { metadata: { name: "linstorcluster" }, spec: { nodeSelector: storageLabel } });
    await standIns.machine("control", other, { "cluster.x-k8s.io/control-plane": "" });
    await standIns.machine("worker", evacuated);
    await standIns.volume(volume, evacuated, retained);
    standIns.linstor.addVolume("pvc-scratch", { copies: [lost, other] });
  };

  const installed: Step = {
    title: "Four nodes with storage",
    text:
      "The system is installed beside a stand-in for LINSTOR, with a sweep every other second. " +
      `${evacuated} has the policy Evacuate and a Machine of Cluster API, ${retained} Retain, ${lost} Delete; ` +
      `${volume} is used on ${evacuated}, has a copy on ${retained}, and may be used where it is alone.`,
    // What waits for stand-ins that have ended would wait for ever.
    act: async () => void (own && (await Promise.race([install(own), aborted(world.signal)]))),
    proofs: [
      {
        what: "each of them has a LinstorSatellite with its policy",
        check: async () => {
          const found = await Promise.all(storageNodes.map(satellite));
          const each = found.map((one) => `${one?.metadata.name} ${one?.spec?.deletionPolicy ?? "Retain"}`);
          return found.every(Boolean) && each.join(", ");
        },
      },
      {
        what: "the Machine waits for the satellite, by both hooks",
        check: async () => {
          const annotations = await annotationsOf(Machine, "worker", tourNamespace);
          return [preDrainHook, preTerminateHook].every((key) => key in annotations);
        },
      },
      {
        what: "every satellite is ready",
        check: () => configured(world, storageNodes),
      },
    ],
  };

  const retain: Step = {
    title: "Retain: LINSTOR keeps the node",
    text:
      `kubectl taint node ${retained} holdfast-tour=broken:NoExecute. The LinstorSatellite goes; ` +
      "node and data stay in LINSTOR, and are used again when the taint goes.",
    act: async () => void (await leave(retained)),
    proofs: [
      { what: "the LinstorSatellite is gone", check: () => isGone(retained) },
      {
        what: "LINSTOR lists the node, with its copy",
        check: async () => (await standIns.lists(retained)) && copies(),
      },
    ],
  };

  const back: Step = {
    title: "And the node comes back",
    text: `kubectl taint node ${retained} holdfast-tour-`,
    act: async () => void (await taint(retained, null)),
    proofs: [{ what: "it has a LinstorSatellite again", check: () => configured(world, [retained]) }],
  };

  const giveUp: Step = {
    title: "Delete: LINSTOR gives the node up",
    text:
      `${lost} gets the same taint. LINSTOR gives nothing up that is connected, and the condition says so; ` +
      "then the satellite stops.",
    act: async () => void (await leave(lost)),
    proofs: [
      says("it says what it waits for", lost, conditions.deleted, "is not OFFLINE in LINSTOR"),
      {
        what: "the satellite stops, and the LinstorSatellite is gone",
        check: async () => {
          standIns.stopSatellite(lost);
          return isGone(lost);
        },
      },
      { what: "LINSTOR does not list the node any more", check: async () => !(await standIns.lists(lost)) },
    ],
  };

  const evacuate: Step = {
    title: "Evacuate: the Machine is deleted",
    text:
      "kubectl delete machine worker. Its volume is marked and made accessible from everywhere; " +
      "the node is drained; the volume is attached elsewhere; LINSTOR moves the copy; then the Machine may go.",
    act: async () => void (await client.delete(Machine, tourNamespace, "worker")),
    proofs: [
      {
        what: "1. the volume carries the marks of the evacuation",
        check: async () => {
          const { waits, override } = marksFor(evacuated);
          const isMarked = ({ annotations = {} }: KubernetesObject["metadata"]) =>
            annotations[waits] !== undefined && annotations[override] !== undefined;
          return versionsOf(volume).some(isMarked) && `${waits}=true, ${override}=true`;
        },
      },
      // What it waits for first is over before it is written where the next step comes at once.
      says("   and kubectl says", evacuated, conditions.evacuated),
      {
        what: "3. the Machine may be drained, and may not be shut down",
        check: async () => {
          return versionsOf("worker").some(
            ({ annotations = {}, deletionTimestamp }) =>
              deletionTimestamp && !(preDrainHook in annotations) && preTerminateHook in annotations,
          );
        },
      },
      {
        what: "4. its user has started elsewhere",
        check: async () => (await usedElsewhere()) && lastSaid(conditions.documented),
      },
      {
        what: "6. LINSTOR has moved the copy",
        check: async () => {
          const good = standIns.linstor.goodCopies(volume);
          return good.length === 2 && !good.includes(evacuated) && lastSaid(conditions.evacuated);
        },
      },
      {
        what: "7. the volume has no mark any more",
        check: async () => {
          const annotations = await annotationsOf(PersistentVolume, volume);
          return !Object.values(marksFor(evacuated)).some((key) => key in annotations);
        },
      },
      {
        what: "8. Machine and Node are gone",
        check: async () =>
          !(await client.get(Machine, tourNamespace, "worker")) && !(await client.get(Node, undefined, evacuated)),
      },
      {
        what: "9. satellite and LINSTOR's node are gone, and the volume has two good copies",
        check: async () =>
          (await isGone(evacuated)) &&
          !(await standIns.lists(evacuated)) &&
          standIns.linstor.goodCopies(volume).length === 2 &&
          copies(),
      },
    ],
  };

  const over: Step = {
    title: "The LinstorCluster is deleted",
    text: "Its satellites go with it, without LINSTOR; what stood in for nodes is taken down.",
    async act() {
      await client.delete(LinstorCluster, undefined, "linstorcluster");
      await client.delete(Namespace, undefined, satelliteNamespace);
      await restoreSweep();
    },
    proofs: [
      {
        what: "no LinstorSatellite is left",
        check: async () => (await Promise.all(storageNodes.map(isGone))).every(Boolean),
      },
    ],
  };

  const copies = () => `${volume} is good on ${standIns.linstor.goodCopies(volume).join(" and ")}`;
  return [installed, retain, back, giveUp, evacuate, over];
}

/** Whether all these satellites are there, and LINSTOR has what their spec says. */
async function configured({ client }: TourWorld, nodes: readonly string[]): Promise<boolean> {
  const all = nodes.map((node) => client.get<LinstorSatelliteObject>(LinstorSatellite, undefined, node));
  return (await Promise.all(all)).every((one) => {
    const condition = one?.status?.conditions?.find(({ type }) => type === "Configured");
    return condition?.status === "True" && condition.observedGeneration === one?.metadata.generation;
  });
}
