import { startControllers } from "../../local/controllers/start-controllers.ts";
import { seededRandom } from "../../local/time/random.ts";
import { virtualClock } from "../../local/time/virtual-clock.ts";
import { benchOn } from "./bench.ts";
import { furnish, kubeletNode } from "./cluster-objects.ts";
import { emulatedServer } from "./emulated-server.ts";
import { startRig } from "./rig.ts";
import type { Setting, World } from "./world.ts";

/** Milliseconds of virtual time in which nothing may happen that should not. */
const restFor = 30_000;

/** A whole cluster in this process: API server, controllers, scheduler, kubelet and Holdfast, on one virtual clock and one seed. */
export async function emulatedWorld(setting: Setting, seed = 1): Promise<World> {
  const clock = virtualClock();
  const random = seededRandom(seed);
  const server = emulatedServer(clock, random, { objectInUseProtection: setting.inTree });
  const { admin, transport } = server;
  await furnish(admin);

  const ended = new AbortController();
  const controllers = startControllers({
    transport,
    clock,
    random,
    signal: ended.signal,
    controllers: setting.inTree ? ["*"] : ["*", "-persistentvolumeclaim-protection-controller"],
    kubelet: { nodes: [kubeletNode] },
  });
  await comesTrue(clock, controllers.synced);
  const rig = await startRig(server, random, setting);
  const bench = await benchOn(server);
  return {
    ...rig.world(bench, () => clock.advance(restFor)),
    async stop() {
      await rig.stop();
      ended.abort(new Error("The world has ended."));
      await server.stop();
    },
  };
}

/** Lets virtual time pass until a promise resolves. */
async function comesTrue(clock: ReturnType<typeof virtualClock>, promise: Promise<unknown>): Promise<void> {
  let done = false;
  const settled = promise.then(() => {
    done = true;
  });
  if (!(await clock.runUntil(() => done, 60_000))) throw new Error("The controllers did not start within a minute.");
  await settled;
}
