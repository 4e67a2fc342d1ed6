import type { SaltStandIn } from "../../../local/salt/salt.ts";
import { Node, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { SystemTransport } from "../../../shared/system/transport.ts";
import type { Cluster } from "../../harness/cluster.ts";
import type { OutageRow } from "../outage-table.ts";
import { createClass, createNode, minion } from "./helpers.ts";

/** Something that Volumes need is away for a while: a row of the table in the system's README, and its scenario. */
export interface Outage extends Omit<OutageRow, "says"> {
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

const restored = new WeakMap<SaltStandIn, SystemTransport>();

/** In the order of the README. */
export const outages: readonly Outage[] = [
  {
    away: "The Salt master",
    of: ["Salt", "away"],
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
    of: ["Salt", "for one object"],
    works: `${existing}; Volumes of other nodes`,
    waits: `${both}, on this node`,
    says: { event: "MinionNotAnswering", words: "The minion does not answer" },
    deletes: false,
    makes: false,
    begin: (_, salt) => salt.stop(minion),
    end: (_, salt) => salt.start(minion),
  },
  {
    away: "Salt begins each job after Holdfast has given the call up",
    of: ["Salt", "late"],
    works: existing,
    waits: "A new or deleted Volume, until its job has run. It runs once",
    says: { event: "SaltUnreachable", words: "Salt prepares the storage of Volume" },
    deletes: true,
    makes: true,
    begin({ clock }, salt) {
      const { transport } = salt;
      // No answer arrives, but what was asked is done four minutes later.
      const late: SystemTransport = async (request) => {
        if (!request.body?.includes('"local_async"')) return transport(request);
        void clock.sleep(240_000).then(() => transport(request));
        throw new Error("read ETIMEDOUT");
      };
      restored.set(salt, transport);
      Object.assign(salt, { transport: late });
    },
    end: (_, salt) => void Object.assign(salt, { transport: restored.get(salt) }),
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
