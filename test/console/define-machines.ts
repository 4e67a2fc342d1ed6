import { Machine } from "../../functions/satellite/lib/kinds.ts";
import { definitions } from "../../local/cluster-api/kinds.ts";
import { discover } from "../../shared/kubernetes/discover.ts";
import { poll } from "../harness/poll.ts";
import type { StillCluster } from "./cluster.ts";

/** Defines Cluster API's kinds on a cluster, and waits until it serves them. */
export async function defineMachines({ add, admin }: Pick<StillCluster, "add" | "admin">): Promise<void> {
  await add(definitions);
  const isServed = async () => (await discover(admin, () => {})).some(({ kind }) => kind === Machine.kind);
  await poll("Machines are served", isServed, { within: 60_000 });
}
