import { seededRandom } from "../../local/time/random.ts";
import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { benchOn, type WhenOver } from "./bench.ts";
import { Namespace } from "./kinds.ts";
import { manifest } from "./manifest.ts";
import { type Rig, startRig } from "./rig.ts";
import type { Server } from "./server.ts";
import { restFor, surround } from "./surroundings.ts";
import type { Setting, World } from "./world.ts";

/** The namespace that `knative/` installs into. */
const holdfast = "holdfast";

/** A cluster on real time on which stories are told, one after another. */
export interface RealWorlds {
  /**
   * A world in this setting, for the running test. The setting stays installed until another one is asked for, by when no story
   * of the one before may still be told.
   */
  open(setting: Setting, told: { whenOver: WhenOver }): Promise<World>;
  stop(): Promise<void>;
}

/** Sets Holdfast up on a real control plane, its functions in this process. `missing`: see {@link surround}. */
export async function realWorlds(server: Server, missing: readonly string[]): Promise<RealWorlds> {
  const { admin, clock } = server;
  const random = seededRandom(clock.now());
  await claimNamespace(admin);
  const leave = await surround(server, missing);
  let current: { setting: Setting; rig: Promise<Rig> } | undefined;
  const stopCurrent = async () => (await current?.rig)?.stop();

  return {
    async open(setting, { whenOver }) {
      // Stories that are told side by side ask at the same moment.
      if (current?.setting !== setting) {
        const left = stopCurrent();
        current = { setting, rig: left.then(() => startRig(server, random, setting)) };
      }
      const rig = await current.rig;
      return rig.world(await benchOn(server, whenOver), () => clock.sleep(restFor), whenOver);
    },
    async stop() {
      await stopCurrent();
      await admin.delete(Namespace, undefined, holdfast);
      // The next suite on this cluster may install Holdfast again, which a namespace on its way out refuses.
      const gone = async () => (await admin.get(Namespace, undefined, holdfast)) === undefined;
      await server.eventually(`the namespace ${holdfast} is gone`, gone, 120_000);
      await leave();
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
