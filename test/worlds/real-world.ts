import { seededRandom } from "../../eventing/random.ts";
import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import { benchOn, type WhenOver } from "./bench.ts";
import { type Harness, startHarness } from "./harness.ts";
import { ConfigMap, Namespace } from "./kinds.ts";
import { manifest } from "./manifest.ts";
import { rest } from "./rest.ts";
import type { Server } from "./server.ts";
import { restFor, surround } from "./surroundings.ts";
import type { Setting, World } from "./world.ts";

/** The namespace that `knative/` installs into. */
const holdfast = "holdfast";

/** A cluster on real time on which scenarios run. */
export interface RealWorlds {
  /**
   * A world in this setting, for the running test. The setting stays installed until another one is asked for, by when
   * no scenario of the one before may still run.
   */
  open(setting: Setting, test: { whenOver: WhenOver }): Promise<World>;
  stop(): Promise<void>;
}

/** Sets Holdfast up on a real control plane, its functions in this process. `missing`: see {@link surround}. */
export async function realWorlds(server: Server, missing: readonly string[]): Promise<RealWorlds> {
  const { clock } = server;
  const random = seededRandom(clock.now());
  await claimNamespace(server);
  const leave = await surround(server, missing);
  let current: { setting: Setting; harness: Promise<Harness> } | undefined;
  const stopCurrent = async () => (await current?.harness)?.stop();

  return {
    async open(setting, { whenOver }) {
      // Scenarios that run side by side ask at the same moment.
      if (current?.setting !== setting) {
        const left = stopCurrent();
        current = { setting, harness: left.then(() => startHarness(server, random, setting)) };
      }
      const harness = await current.harness;
      return harness.world(await benchOn(server, whenOver), () => rest(server.admin, restFor), whenOver);
    },
    async stop() {
      await stopCurrent();
      await leave();
      // What functions have kept, the next suite on this cluster must not find.
      if (server.throwaway) await server.admin.request("DELETE", pathOf(ConfigMap, holdfast));
      else await removeNamespace(server);
      await server.stop();
    },
  };
}

/** The namespace stays from setting to setting, because it takes a while to go. */
async function claimNamespace({ admin, throwaway }: Server): Promise<void> {
  await admin.create(Namespace, manifest(Namespace, { name: holdfast })).catch((cause) => {
    if (!isAlreadyExists(cause)) throw cause;
    if (throwaway) return;
    const message = `The cluster has a namespace ${holdfast}: the suite needs one without Holdfast.`;
    throw new Error(message, { cause });
  });
}

async function removeNamespace({ admin, eventually }: Server): Promise<void> {
  await admin.delete(Namespace, undefined, holdfast);
  // The next suite on this cluster may install Holdfast again, which a namespace on its way out refuses.
  const isGone = async () => (await admin.get(Namespace, undefined, holdfast)) === undefined;
  await eventually(`the namespace ${holdfast} is gone`, isGone);
}
