import { seededRandom } from "../../eventing/random.ts";
import { usualHeartbeat } from "../../local/controllers/kubelet/start-kubelet.ts";
import { startControllers } from "../../local/controllers/start-controllers.ts";
import { furnish, kubeletNode } from "./cluster-objects.ts";
import { Node } from "./kinds.ts";
import type { Server } from "./server.ts";

/** Milliseconds in which a cluster on real time does whatever it is going to do. */
export const restFor = 700;

/**
 * Puts beside a server on real time what scenarios expect of a cluster: a storage class, nodes, and those controllers
 * of the laptop edition that are `missing` there (by name, as kube-controller-manager's `--controllers` takes them).
 * Returns how to end them.
 */
export async function surround(server: Server, missing: readonly string[]): Promise<() => Promise<void>> {
  const { admin, transport, clock } = server;
  const ended = new AbortController();
  const clear = await furnish(admin);
  const controllers = startControllers({
    transport,
    clock,
    random: seededRandom(clock.now()),
    signal: ended.signal,
    controllers: missing,
    kubelet: { nodes: [kubeletNode], heartbeat: usualHeartbeat },
  });
  await controllers.synced;
  return async () => {
    ended.abort(new Error("The suite is over."));
    await controllers.stopped;
    await admin.delete(Node, undefined, kubeletNode);
    await clear();
  };
}
