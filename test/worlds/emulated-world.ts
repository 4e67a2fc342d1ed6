import { onTestFinished } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { startControllers } from "../../local/controllers/start-controllers.ts";
import { virtualClock } from "../../local/time/virtual-clock.ts";
import { benchOn, type WhenOver } from "./bench.ts";
import { furnish, kubeletNode } from "./cluster-objects.ts";
import { emulatedServer } from "./emulated-server.ts";
import { startHarness } from "./harness.ts";
import { timePasses } from "./time-passes.ts";
import type { Setting, World } from "./world.ts";

/** Milliseconds of virtual time in which nothing may happen that should not. */
const restFor = 30_000;

/**
 * A whole cluster in this process: API server, controllers, scheduler, kubelet and Holdfast, on one virtual clock and
 * one seed.
 */
export async function emulatedWorld(
  setting: Setting,
  { seed = 1, whenOver = onTestFinished }: { seed?: number; whenOver?: WhenOver } = {},
): Promise<World> {
  const clock = virtualClock();
  const random = seededRandom(seed);
  const { inTree, guardsOwnerReferences = true } = setting;
  const server = emulatedServer(clock, random, {
    objectInUseProtection: inTree,
    ownerReferencesPermissionEnforcement: guardsOwnerReferences,
  });
  const { admin, transport } = server;
  // What the server loads when it is first asked for takes real time, of which a virtual clock knows nothing.
  await admin.request("GET", "/apis");
  await furnish(admin);

  const ended = new AbortController();
  const controllers = startControllers({
    transport,
    clock,
    random,
    signal: ended.signal,
    controllers: inTree ? ["*"] : ["*", "-persistentvolumeclaim-protection-controller"],
    kubelet: { nodes: [kubeletNode] },
  });
  await timePasses(server, "the controllers start", controllers.synced);
  const harness = await startHarness(server, random, setting);
  const bench = await benchOn(server, whenOver);
  return {
    ...harness.world(bench, () => clock.advance(restFor), whenOver),
    async stop() {
      await harness.stop();
      ended.abort(new Error("The world has ended."));
      await server.stop();
    },
  };
}
