import type { SaltStandIn } from "../../../local/salt/salt.ts";
import { Node, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import type { OutageRow } from "../outage-table.ts";
import { createClass, createNode, minion } from "./helpers.ts";

/** Something that Volumes need is away for a while: a row of the table in the system's README, and its scenario. */
export interface Outage {
  readonly away: string;
  readonly works: string;
  readonly waits: string;
  /** The Event on a Volume that waits, and words of its condition; absent where no Volume waits for long. */
  readonly says?: { readonly event: string; readonly words: string };
  /** Whether a Volume that is deleted meanwhile goes meanwhile, and whether a new one is made. */
  readonly deletes: boolean;
  readonly makes: boolean;
  begin(cluster: Cluster, salt: SaltStandIn): Promise<void> | void;
  end(cluster: Cluster, salt: SaltStandIn): Promise<void> | void;
}

const existing = "PersistentVolumes that exist, and claims on them";
const both = "New Volumes stay Pending; deleted ones keep their finalizer";

/** In the order of the README. */
export const outages: readonly Outage[] = [
  {
    away: "The Salt master",
    works: existing,
    waits: both,
    says: { event: "SaltUnreachable", words: "It has been so since" },
    deletes: false,
    makes: false,
    begin: (_, salt) => salt.stop("master"),
    end: (_, salt) => salt.start("master"),
  },
  {
    away: "salt-api",
    works: existing,
    waits: both,
    says: { event: "SaltUnreachable", words: "It has been so since" },
    deletes: false,
    makes: false,
    begin: (_, salt) => salt.stop("api"),
    end: (_, salt) => salt.start("api"),
  },
  {
    away: "The salt-minion of a node",
    works: `${existing}; Volumes of other nodes`,
    waits: `${both}, on this node`,
    says: { event: "MinionNotAnswering", words: "The minion does not answer" },
    deletes: false,
    makes: false,
    begin: (_, salt) => salt.stop(minion),
    end: (_, salt) => salt.start(minion),
  },
  {
    away: "The Node object",
    works: `${existing}; Volumes of other nodes`,
    waits: `${both}, on this node`,
    says: { event: "NodeMissing", words: "does not exist: add it to the cluster" },
    deletes: false,
    makes: false,
    begin: ({ admin }) => admin.delete(Node, undefined, minion).then(() => {}),
    end: createNode,
  },
  {
    away: "The StorageClass",
    works: `${existing}; deletions`,
    waits: "New Volumes of the class stay Pending",
    says: { event: "StorageClassMissing", words: "does not exist: create it" },
    deletes: true,
    makes: false,
    begin: ({ admin, namespace }) => admin.delete(StorageClass, undefined, `local-${namespace}`).then(() => {}),
    end: (cluster) => createClass(cluster).then(() => {}),
  },
  {
    away: "Events of Kubernetes and of Salt (a source, a broker, the reactor)",
    works: "Everything, by the sweep",
    waits: "Each step, for the next tick of the sweep",
    deletes: true,
    makes: true,
    begin: (cluster) => cluster.fate(() => []),
    end: (cluster) => cluster.fate(() => undefined),
  },
];

/** The rows of the README's table. */
export const rows: readonly OutageRow[] = outages.map(({ says, ...row }) => ({
  ...row,
  says: says ? `Event \`${says.event}\`; the condition: "${says.words}"` : "nothing on the Volume",
}));
