import { openstack } from "../../../functions/eviction/lib/openstack/system.ts";
import type { Host, Instance } from "../../../local/openstack/cloud.ts";
import { createOpenStack, type OpenStackStandIn } from "../../../local/openstack/openstack.ts";
import type { SystemTransport } from "../../../shared/system/transport.ts";
import { kubeletNode } from "../../worlds/cluster-objects.ts";
import type { Occurrence, SimulatedSystem, SimulatedSystemContext } from "../world/simulated-system.ts";

/** The host that is evicted, on the kubelet's Node, and the one that takes its servers. */
export const [host, otherHost] = [kubeletNode, "node-2"];

/** Nova is asked to enable or to disable a nova-compute, which is as it is shown here. */
export interface InNova extends Occurrence {
  readonly wanted: "enabled" | "disabled";
  readonly service: Readonly<Host>;
}

/** The cloud of a run. */
export interface SimulatedOpenStack extends SimulatedSystem {
  readonly standIn: OpenStackStandIn;
  /** Boots a server on the host, and turns it off where that is said. */
  boot(isOff?: boolean): Instance;
}

const password = "secret";

/** Makes the OpenStack of a run, with two hosts. */
export function simulatedOpenStack({ clock, streams, occur }: SimulatedSystemContext): SimulatedOpenStack {
  const hosts = [host, otherHost];
  const standIn = createOpenStack({ clock, random: streams("openstack"), hosts, password, downAfter: 10_000 });
  const { authUrl, cloud } = standIn;
  const transportTo =
    (root: string): SystemTransport =>
    (request) => {
      const [, id] = (request.method === "PUT" && /^\/os-services\/([^/]+)$/.exec(request.path)) || [];
      const service = [...cloud.hosts.values()].find((one) => one.id === id);
      const wanted = service && (JSON.parse(request.body ?? "{}").status as InNova["wanted"]);
      if (wanted) occur({ what: `Nova is asked to have ${service.name} ${wanted}`, wanted, service } as InNova);
      return standIn.transportTo(root)(request);
    };
  return {
    system: openstack,
    settings: { OS_AUTH_URL: authUrl },
    credential: async (name) => (name === "password" ? password : undefined),
    transport: transportTo(authUrl),
    transportTo,
    standIn,
    boot(isOff = false) {
      const instance = cloud.boot(`server-${cloud.instances.size}`, host, "demo");
      if (isOff) clock.after(2_000, () => void cloud.act(instance, "os-stop", null));
      return instance;
    },
    restore() {
      standIn.start();
      for (const name of hosts) cloud.run(name, true);
    },
    isIdle: () => true,
  };
}
