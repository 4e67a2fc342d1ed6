import { seededRandom } from "../../../eventing/random.ts";
import type { OwnCluster } from "../../cluster/running-cluster.ts";
import { createControllerTools } from "../../controllers/controller-tools.ts";
import { startKubelet, usualHeartbeat } from "../../controllers/kubelet/start-kubelet.ts";
import { createOpenStack } from "../../openstack/openstack.ts";
import { serveOpenStack } from "../../openstack/serve-openstack.ts";
import { untilAborted } from "../../time/until-aborted.ts";
import type { TourWorld } from "../tour.ts";

/** The host that is evicted, and the one that takes its servers. */
export const [leaving, staying] = ["compute-1", "compute-2"] as const;
/** As the stand-in's account `admin` has it. */
export const password = "tour";

/** What lies outside of the functions: OpenStack, and the kubelet of the host that is evicted. */
export type StandIns = Awaited<ReturnType<typeof startStandIns>>;

/** Starts them. Moves take a second, and a nova-compute is down after four, so that no one has to wait for a tour. */
export async function startStandIns(world: TourWorld, own: OwnCluster) {
  const { signal } = world;
  const clock = untilAborted(world.clock, signal);
  const random = seededRandom(clock.now());
  const hosts = [leaving, staying];
  const times = { downAfter: 4000, copying: 1000 };
  const openstack = createOpenStack({ clock, random, hosts, password, ...times, isShared: true });
  const { authUrl } = await serveOpenStack(openstack, signal);
  const tools = createControllerTools({ ...own, clock, random, signal });
  const kubelet = startKubelet(tools, { nodes: [leaving], heartbeat: usualHeartbeat });
  await kubelet.synced;
  return {
    authUrl,
    cloud: openstack.cloud,
    network: openstack.network,
    /** The host that is evicted loses its power: neither its kubelet nor its nova-compute reports any more. */
    losePower() {
      kubelet.lose(leaving);
      openstack.cloud.run(leaving, false);
    },
  };
}
