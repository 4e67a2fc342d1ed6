import { LinstorSatellite } from "../../../functions/satellite/lib/kinds.ts";
import { pick } from "../../harness/faults/api.ts";
import { PersistentVolume } from "../../harness/kinds.ts";
import type { Operation } from "../workload.ts";
import { linstorOf } from "./administrator.ts";
import { nodes } from "./linstor.ts";

/** What may happen to LINSTOR, and what people may do to satellites and volumes. */
export const workload: Readonly<Record<string, Operation>> = {
  "restarts the LINSTOR controller": async (user, { clock }) => {
    const { standIn } = linstorOf(user);
    standIn.stopController();
    await clock.sleep(user.random.below(10_000));
    standIn.startController();
  },
  "stops a satellite for a while": async (user, { clock, schedule }) => {
    const node = pick(user.random, nodes);
    linstorOf(user).stop(node);
    await clock.sleep(user.random.below(30_000));
    if (!schedule.ended) linstorOf(user).start(node);
  },
  "takes the controller of Machines away": async (user, { clock, schedule }) => {
    linstorOf(user).stopManager();
    await clock.sleep(user.random.below(60_000));
    if (!schedule.ended) linstorOf(user).startManager();
  },
  "sets the clocks of functions hours ahead or back": async (user, { clock, cluster }) => {
    cluster.fleet.setClocks(pick(user.random, [-6, -1, 1, 6]) * 3_600_000);
    await clock.sleep(user.random.below(30_000));
    cluster.fleet.setClocks(0);
  },
  "touches a LinstorSatellite": async (user) => {
    const all = await user.list(LinstorSatellite);
    if (all.length === 0) return;
    const { name } = pick(user.random, all).metadata;
    const patch = { metadata: { labels: { touched: String(user.random.below(1000)) } } };
    await user.attempt(`touches LinstorSatellite ${name}`, (client) =>
      client.patch(LinstorSatellite, undefined, name, "merge", patch),
    );
  },
  "takes the annotations off a volume": async (user) => {
    const all = await user.list(PersistentVolume);
    if (all.length === 0) return;
    const { name } = pick(user.random, all).metadata;
    await user.attempt(`takes the annotations off volume ${name}`, (client) =>
      client.patch(PersistentVolume, undefined, name, "merge", { metadata: { annotations: null } }),
    );
  },
};
