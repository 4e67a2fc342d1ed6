import { onTestFinished } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { advanceUntilSettled } from "./advance-until-settled.ts";
import type { Cluster, Setting } from "./cluster.ts";
import { startEnvironment } from "./environment.ts";
import { benchOn, type WhenOver } from "./open-namespace.ts";
import { startHoldfast } from "./start-holdfast.ts";
import { openVirtualServer } from "./virtual-server.ts";

/** Milliseconds of virtual time in which nothing may happen that should not. */
const restFor = 30_000;

/**
 * A whole cluster in this process: API server, controllers, scheduler, kubelet and Holdfast, on one virtual clock and
 * one seed.
 */
export async function openCluster(
  setting: Setting,
  { seed = 1, whenOver = onTestFinished }: { seed?: number; whenOver?: WhenOver } = {},
): Promise<Cluster> {
  const clock = virtualClock();
  const random = seededRandom(seed);
  const server = await openVirtualServer(setting, clock, random);
  const ended = new AbortController();
  const { synced } = await startEnvironment(server, {
    random,
    signal: ended.signal,
    controllers: setting.inTree ? ["*"] : ["*", "-persistentvolumeclaim-protection-controller"],
  });
  await advanceUntilSettled(server, "the controllers start", synced);
  const holdfast = await startHoldfast(server, random, setting);
  const end = () => ended.abort(new Error("The cluster has ended."));
  // Node keeps what waits for a signal, and with it a whole cluster: thousands would stay.
  whenOver(() => {
    holdfast.end();
    end();
    return server.stop();
  });
  const bench = await benchOn(server, whenOver);
  return {
    ...holdfast.cluster(bench, () => clock.advance(restFor), whenOver),
    async stop() {
      await holdfast.stop();
      end();
      await server.stop();
    },
  };
}
