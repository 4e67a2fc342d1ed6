import { usualHeartbeat } from "../../local/controllers/kubelet/start-kubelet.ts";
import { startControllers } from "../../local/controllers/start-controllers.ts";
import { seededRandom } from "../../local/time/random.ts";
import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { benchOn } from "./bench.ts";
import { furnish, kubeletNode } from "./cluster-objects.ts";
import { Namespace } from "./kinds.ts";
import { manifest } from "./manifest.ts";
import { type Rig, startRig } from "./rig.ts";
import type { Server } from "./server.ts";
import type { Setting, World } from "./world.ts";

/** The namespace that `knative/` installs into. */
const holdfast = "holdfast";

/** Milliseconds in which a real cluster does whatever it is going to do. */
const restFor = 700;

/** A real control plane on which stories are told, one after another. */
export interface RealWorlds {
  /** A world in this setting, for the running test. The setting stays installed until another one is asked for. */
  open(setting: Setting): Promise<World>;
  stop(): Promise<void>;
}

/**
 * Puts what a control plane lacks beside it: a node with a kubelet, the controllers that are `missing` (by name, as
 * kube-controller-manager's `--controllers` takes them), and Holdfast.
 */
export async function realWorlds(server: Server, missing: readonly string[] = ["kubelet"]): Promise<RealWorlds> {
  const { admin, transport, clock } = server;
  const random = seededRandom(Date.now());
  const ended = new AbortController();
  await claimNamespace(admin);
  await furnish(admin);
  const controllers = startControllers({
    transport,
    clock,
    random,
    signal: ended.signal,
    controllers: missing,
    kubelet: { nodes: [kubeletNode], heartbeat: usualHeartbeat },
  });
  await controllers.synced;
  let current: { setting: Setting; rig: Rig } | undefined;

  return {
    async open(setting) {
      if (current?.setting !== setting) {
        await current?.rig.stop();
        current = undefined;
        current = { setting, rig: await startRig(server, random, setting) };
      }
      return current.rig.world(await benchOn(server), () => clock.sleep(restFor));
    },
    async stop() {
      await current?.rig.stop();
      await admin.delete(Namespace, undefined, holdfast);
      ended.abort(new Error("The suite is over."));
      await controllers.stopped;
      await server.stop();
    },
  };
}

/** The namespace stays from setting to setting, because it takes a while to go. */
async function claimNamespace(admin: Client): Promise<void> {
  await admin.create(Namespace, manifest(Namespace, { name: holdfast })).catch((cause) => {
    if (!isAlreadyExists(cause)) throw cause;
    const message = `The cluster has a namespace ${holdfast}: the suite needs one that nobody has installed Holdfast on.`;
    throw new Error(message, { cause });
  });
}
