import { NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import type { User } from "../user.ts";
import type { Operation } from "../workload.ts";
import { host, type SimulatedOpenStack, spareHost } from "./openstack.ts";

const standInOf = (user: User) => (user.outside("eviction") as SimulatedOpenStack).standIn;

/** What may happen to OpenStack, and what people may do to resources. */
export const workload: Readonly<Record<string, Operation>> = {
  "restarts OpenStack": async (user, { clock }) => {
    const standIn = standInOf(user);
    standIn.stop();
    await clock.sleep(user.random.below(30_000));
    standIn.start();
  },
  "lets all tokens end": (user) => standInOf(user).expireTokens(),
  // That of a host that is evicted would leave a server that moves in MIGRATING, which only a person can undo.
  "restarts nova-compute of the spare host": async (user, { clock }) => {
    const { cloud } = standInOf(user);
    cloud.run(spareHost, false);
    await clock.sleep(user.random.below(60_000));
    cloud.run(spareHost, true);
  },
  "touches the NovaComputeNode": (user) =>
    user.attempt("touches the NovaComputeNode", (client) =>
      client.patch(NovaComputeNode, "yaook", host, "merge", {
        metadata: { labels: { touched: String(user.random.below(1000)) } },
      }),
    ),
};
