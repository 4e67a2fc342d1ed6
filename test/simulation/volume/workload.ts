import { Volume } from "../../../functions/volume/lib/kinds.ts";
import { pick } from "../../harness/faults/api.ts";
import { PersistentVolume } from "../../harness/kinds.ts";
import type { User } from "../user.ts";
import type { Operation } from "../workload.ts";
import { minion, type SimulatedSalt } from "./salt.ts";

const saltOf = (user: User) => user.outside("volume") as SimulatedSalt;

/** Stops a part of Salt for up to so many milliseconds; what is down at the end of all faults is started then. */
const restart =
  (name: string, most: number): Operation =>
  async (user, { clock, schedule }) => {
    const { standIn } = saltOf(user);
    standIn.stop(name);
    await clock.sleep(user.random.below(most));
    if (!schedule.ended) standIn.start(name);
  };

async function onOne(user: User, kind: typeof Volume | typeof PersistentVolume, act: (name: string) => Promise<void>) {
  const objects = await user.list(kind);
  if (objects.length > 0) await act(pick(user.random, objects).metadata.name);
}

/** What may happen to Salt, and what people may do to Volumes. */
export const workload: Readonly<Record<string, Operation>> = {
  "restarts the minion": restart(minion, 30_000),
  "restarts the master": restart("master", 20_000),
  "restarts salt-api": restart("api", 20_000),
  "kills a job": (user) => {
    const { running, standIn, nodes } = saltOf(user);
    const [job] = running.values();
    if (job) for (const { id } of nodes) standIn.killJob(job.jid, id);
  },
  "posts a job again": (user) => saltOf(user).postAgain(),
  "fills the disk": async (user, { clock }) => {
    const node = pick(user.random, saltOf(user).nodes);
    node.full = true;
    await clock.sleep(user.random.below(20_000));
    node.full = false;
  },
  "deletes a Volume": (user) =>
    onOne(user, Volume, (name) =>
      user.attempt(`deletes Volume ${name}`, (client) => client.delete(Volume, undefined, name)),
    ),
  "touches a Volume": (user) =>
    onOne(user, Volume, (name) =>
      user.attempt(`touches Volume ${name}`, (client) =>
        client.patch(Volume, undefined, name, "merge", {
          metadata: { labels: { touched: String(user.random.below(1000)) } },
        }),
      ),
    ),
  "deletes a PersistentVolume": (user) =>
    onOne(user, PersistentVolume, (name) =>
      user.attempt(`deletes PersistentVolume ${name}`, (client) => client.delete(PersistentVolume, undefined, name)),
    ),
};
