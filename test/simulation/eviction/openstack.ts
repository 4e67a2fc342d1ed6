import { openstack } from "../../../functions/eviction/lib/openstack/system.ts";
import type { Host, Instance, Move } from "../../../local/openstack/cloud.ts";
import { createOpenStack, type OpenStackStandIn } from "../../../local/openstack/openstack.ts";
import type { SystemTransport } from "../../../shared/system/transport.ts";
import { bareNode, kubeletNode } from "../../harness/cluster-objects.ts";
import type { Occurrence, SimulatedSystem, SimulatedSystemContext } from "../../harness/simulated/simulated-system.ts";

/** The host that is evicted, on the kubelet's Node; another one, whose Node has no kubelet; and one that only takes. */
export const [host, otherHost, spareHost] = [kubeletNode, bareNode, "node-3"];

/** What Nova is asked, with what it has of that. */
export type InNova = Occurrence &
  (
    | { readonly wanted: "enabled" | "disabled"; readonly service: Readonly<Host> }
    | { readonly wanted: "evacuate"; readonly server: Readonly<Instance>; readonly evacuations: readonly Move[] }
  );

/** The cloud of a run. */
export interface SimulatedOpenStack extends SimulatedSystem {
  readonly standIn: OpenStackStandIn;
  /** Boots a server on a host, and turns it off where that is said. */
  boot(host: string, isOff?: boolean): Instance;
  /** A host loses power, and stays without. */
  lose(host: string): void;
}

const password = "secret";

/** Makes the OpenStack of a run, with three hosts. */
export function simulatedOpenStack({ clock, streams, occur }: SimulatedSystemContext): SimulatedOpenStack {
  const hosts = [host, otherHost, spareHost];
  const lost = new Set<string>();
  const standIn = createOpenStack({ clock, random: streams("openstack"), hosts, password, downAfter: 10_000 });
  const { authUrl, cloud } = standIn;
  const serviceIn = (path: string) => {
    const [, id] = /\/os-services\/([^/?]+)/.exec(path) ?? [];
    return [...cloud.hosts.values()].find((one) => one.id === id);
  };
  const serverIn = (path: string) => cloud.instances.get(/\/servers\/([^/?]+)/.exec(path)?.[1] ?? "");
  const askedIn = (path: string, body: string): InNova | undefined => {
    const [service, server] = [serviceIn(path), serverIn(path)];
    const { status, evacuate } = JSON.parse(body);
    if (service && status) return { what: `Nova is asked to have ${service.name} ${status}`, wanted: status, service };
    if (!server || evacuate === undefined) return undefined;
    const evacuations = cloud.moves.filter((move) => move.server === server.id && move.type === "evacuation");
    const what = `Nova is asked to evacuate ${server.name} from ${server.host}`;
    return { what, wanted: "evacuate", server, evacuations };
  };
  const transportTo =
    (root: string): SystemTransport =>
    (request) => {
      const asked = request.method === "GET" ? undefined : askedIn(request.path, request.body ?? "{}");
      if (asked) occur(asked);
      return standIn.transportTo(root)(request);
    };
  return {
    system: openstack,
    settings: { OS_AUTH_URL: authUrl },
    credential: async (name) => (name === "password" ? password : undefined),
    transport: transportTo(authUrl),
    transportTo,
    standIn,
    about: (path) => serviceIn(path)?.name ?? serverIn(path)?.host ?? "",
    leaves(part) {
      // They are good for an hour: while Keystone is away no function would miss it.
      if (!part || authUrl.includes(part)) standIn.expireTokens();
    },
    boot(on, isOff = false) {
      const instance = cloud.boot(`server-${cloud.instances.size}`, on, "demo");
      if (isOff) clock.after(2_000, () => void cloud.act(instance, "os-stop", null));
      return instance;
    },
    lose(name) {
      lost.add(name);
      cloud.run(name, false);
    },
    restore() {
      standIn.start();
      for (const name of hosts) if (!lost.has(name)) cloud.run(name, true);
    },
    isIdle: () => true,
  };
}
