import { seededRandom } from "../../eventing/random.ts";
import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import type { Backend } from "./backend.ts";
import type { Setting } from "./cluster.ts";
import { restFor, startMissing } from "./environment.ts";
import { ConfigMap, Namespace } from "./kinds.ts";
import { manifest } from "./manifest.ts";
import { benchOn } from "./open-namespace.ts";
import { rest } from "./rest.ts";
import type { Server } from "./server.ts";
import { type Holdfast, startHoldfast } from "./start-holdfast.ts";

/** The namespace that `knative/` installs into. */
const installed = "holdfast";

/** Sets Holdfast up on a real control plane, its functions in this process. `missing`: see {@link startMissing}. */
export async function realBackend(server: Server, missing: readonly string[]): Promise<Backend> {
  const { clock } = server;
  const random = seededRandom(clock.now());
  await claimNamespace(server);
  const leave = await startMissing(server, missing);
  let current: { setting: Setting; holdfast: Promise<Holdfast> } | undefined;
  // One that did not start has said so to its scenario; what is stopped next must be stopped all the same.
  const stopCurrent = async () => (await current?.holdfast.catch(() => undefined))?.stop();

  return {
    async open(setting, { whenOver }) {
      // Scenarios that run side by side ask at the same moment.
      if (current?.setting !== setting) {
        const left = stopCurrent();
        current = { setting, holdfast: left.then(() => startHoldfast(server, random, setting)) };
      }
      const holdfast = await current.holdfast;
      return holdfast.cluster(await benchOn(server, whenOver), () => rest(server.admin, restFor), whenOver);
    },
    async stop() {
      await stopCurrent();
      await leave();
      // What functions have kept, the next suite on this cluster must not find.
      if (server.throwaway) await server.admin.request("DELETE", pathOf(ConfigMap, installed));
      else await removeNamespace(server);
      await server.stop();
    },
  };
}

/** The namespace stays from setting to setting, because it takes a while to go. */
async function claimNamespace({ admin, throwaway }: Server): Promise<void> {
  await admin.create(Namespace, manifest(Namespace, { name: installed })).catch((cause) => {
    if (!isAlreadyExists(cause)) throw cause;
    if (throwaway) return;
    const message = `The cluster has a namespace ${installed}: the suite needs one without Holdfast.`;
    throw new Error(message, { cause });
  });
}

async function removeNamespace({ admin, eventually }: Server): Promise<void> {
  await admin.delete(Namespace, undefined, installed);
  // The next suite on this cluster may install Holdfast again, which a namespace on its way out refuses.
  const isGone = async () => (await admin.get(Namespace, undefined, installed)) === undefined;
  await eventually(`the namespace ${installed} is gone`, isGone);
}
