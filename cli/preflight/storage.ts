import { choosersOf } from "../../functions/pvc-retention/lib/field-managers.ts";
import { policyKey } from "../../functions/pvc-retention/lib/policy.ts";
import { type StatefulSet as LiveSet, occasions } from "../../functions/pvc-retention/lib/stateful-set.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { type Kind, StatefulSet, StorageClass } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { someOf } from "../../shared/uninstall/some-of.ts";
import type { Check } from "./finding.ts";

interface Class extends KubernetesObject {
  readonly provisioner?: string;
  readonly reclaimPolicy?: string;
}

/** Provisioners whose volumes are kept in another way than most, and how. */
const peculiar: Readonly<Record<string, string>> = {
  "rancher.io/local-path": "It keeps data on one node's disk: a kept volume goes with that node.",
  "kubernetes.io/no-provisioner": "Its volumes are made by hand: Holdfast keeps them, and nothing reclaims them.",
};

/** What StorageClasses mean for volumes that are to be kept. @throws ApiError */
export async function storageClasses(client: Client, systems: readonly string[]): Promise<readonly Check[]> {
  if (!systems.includes("undelete")) return [];
  const classes = await Array.fromAsync(client.list<Class>(StorageClass));
  if (classes.length === 0)
    return [
      { what: "There is no StorageClass.", why: "Claims get no volumes.", todo: "Install a driver.", isNote: true },
    ];
  return classes.flatMap((one): Check[] => {
    const { provisioner, reclaimPolicy = "Delete" } = one;
    const what = `StorageClass ${one.metadata.name} is of ${provisioner}, with reclaimPolicy ${reclaimPolicy}.`;
    const said = peculiar[provisioner ?? ""];
    return [said ? { what, why: said, todo: "Nothing has to be done.", isNote: true } : { what }];
  });
}

/** Sets whose retention policy is in other hands: there the annotation does not win. @throws ApiError */
export async function policiesOfOthers(client: Client, systems: readonly string[]): Promise<readonly Check[]> {
  if (!systems.includes("pvc-retention")) return [];
  const chosen: LiveSet[] = [];
  for await (const set of client.list<LiveSet>(StatefulSet))
    if (occasions.some((occasion) => choosersOf(set, occasion).length > 0)) chosen.push(set);
  if (chosen.length === 0) return [{ what: "No StatefulSet has a persistentVolumeClaimRetentionPolicy of its own." }];
  return [
    {
      what: `These StatefulSets have a persistentVolumeClaimRetentionPolicy that others apply: ${someOf(chosen)}.`,
      why: `Where it keeps more than the annotation ${policyKey} says, it stays in force.`,
      todo: `To have the annotation decide, take the field out of what is applied.`,
      isNote: true,
    },
  ];
}

/** The versions of Cluster API that Holdfast knows. */
const machines = ["cluster.x-k8s.io/v1beta2", "cluster.x-k8s.io/v1beta1"];

/** Which version of Cluster API there is, and which overlay fits it. */
export function clusterApi(served: readonly Kind[], systems: readonly string[]): readonly Check[] {
  if (!systems.includes("satellite")) return [];
  const found = machines.filter((version) =>
    served.some((one) => one.kind === "Machine" && one.apiVersion === version),
  );
  const all = served.filter(({ kind, apiVersion }) => kind === "Machine" && apiVersion.startsWith("cluster.x-k8s.io/"));
  if (found[0] !== undefined) {
    const overlay = found[0] === machines[0] ? "cluster-api" : "cluster-api-v1beta1";
    return [{ what: `Cluster API serves Machines in ${found[0]}: the component for it is ${overlay}.` }];
  }
  if (all.length > 0)
    return [
      {
        what: `Cluster API serves Machines only in ${all.map(({ apiVersion }) => apiVersion).join(", ")}.`,
        why: "Holdfast cannot hold a Machine whose version it does not know.",
        todo: `Upgrade Cluster API to one that serves ${machines.join(" or ")}.`,
      },
    ];
  return [
    {
      what: "This cluster serves no Machines of Cluster API.",
      why: "Satellites are evacuated when they are deleted, and no Machine waits for them.",
      todo: "If Machines lie on a management cluster, docs/satellites.md, With Cluster API, says how to name it.",
      isNote: true,
    },
  ];
}
