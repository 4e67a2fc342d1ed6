import { seededRandom } from "../../eventing/random.ts";
import { type KubeletOptions, usualHeartbeat } from "../../local/controllers/kubelet/start-kubelet.ts";
import { type ControllersOptions, startControllers } from "../../local/controllers/start-controllers.ts";
import { furnish, kubeletNode } from "./cluster-objects.ts";
import { Node } from "./kinds.ts";
import type { Server } from "./server.ts";

/** Milliseconds in which a cluster on real time does all that it is going to do. */
export const restFor = 700;

type Options = Pick<ControllersOptions, "controllers" | "random" | "scheduler" | "signal"> &
  Partial<Pick<ControllersOptions, "transport">> & {
    readonly heartbeat?: Required<KubeletOptions>["heartbeat"];
  };

/**
 * Puts beside an API server what scenarios expect of a cluster: a storage class, nodes, a kubelet, and controllers of
 * the laptop edition, by name, as kube-controller-manager's `--controllers` takes them. They end with the signal;
 * `remove` then takes off the server what was put there.
 */
export async function startEnvironment({ admin, transport, clock }: Server, { heartbeat, ...options }: Options) {
  const kubelet = { nodes: [kubeletNode], ...(heartbeat ? { heartbeat } : {}) };
  const { synced, stopped } = startControllers({ transport, clock, ...options, kubelet });
  const clear = await furnish(admin);
  return {
    synced,
    async remove() {
      await stopped;
      await admin.delete(Node, undefined, kubeletNode);
      await clear();
    },
  };
}

/** The same on real time, with those controllers that are `missing` there. Returns how to end it. */
export async function startMissing(server: Server, missing: readonly string[]): Promise<() => Promise<void>> {
  const ended = new AbortController();
  const { synced, remove } = await startEnvironment(server, {
    random: seededRandom(server.clock.now()),
    signal: ended.signal,
    controllers: missing,
    heartbeat: usualHeartbeat,
  });
  await synced;
  return async () => {
    ended.abort(new Error("The suite is over."));
    await remove();
  };
}
