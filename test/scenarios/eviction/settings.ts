import { seededRandom } from "../../../eventing/random.ts";
import { openstack } from "../../../functions/eviction/lib/openstack/system.ts";
import { createOpenStack, type OpenStackStandIn } from "../../../local/openstack/openstack.ts";
import { outcomeOf } from "../../../local/time/testing/outcome-of.ts";
import type { VirtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { connectSystems } from "../../../shared/serve/connect-systems.ts";
import { readSettings } from "../../../shared/settings.ts";
import type { ExternalSystem } from "../../../shared/system/system.ts";
import type { SystemRequest, SystemResponse } from "../../../shared/system/transport.ts";
import { type Harness, harnessFor } from "../../contract/openstack/harness.ts";
import type { OpenStackUnderTest } from "../../contract/openstack/openstack-under-test.ts";
import type { Cluster, Setting } from "../../harness/cluster.ts";
import { kubeletNode } from "../../harness/cluster-objects.ts";

/** The host that is evicted is the Node whose kubelet runs pods; there is one other. */
export const hosts = [kubeletNode, "node-b"] as const;

/** Stands between functions and OpenStack: sends a request on, holds it up, or loses its answer by throwing. */
interface Wire {
  step: (request: SystemRequest, send: () => Promise<SystemResponse>) => Promise<SystemResponse>;
}

/** A cloud beside a cluster, as a scenario has it in its hands. */
interface Beside {
  readonly cloud: Harness;
  /** The stand-in itself; absent beside a real one. */
  readonly standIn?: OpenStackStandIn;
  /** What functions get instead of the stand-in's answer; `service` is keystone, nova or neutron. */
  tamper?: (service: string, request: SystemRequest) => Partial<SystemResponse> | undefined;
  readonly wire: Wire;
  /** After so many failed moves a server is given up. */
  readonly attempts: number;
}

const beside = new WeakMap<Setting, Beside>();

/** The cloud beside a cluster. */
export function besideOf(cluster: Cluster): Beside {
  const found = beside.get(cluster.setting);
  if (!found) throw new Error(`There is no cloud ${cluster.setting.name}.`);
  return found;
}

const common = {
  inTree: true,
  components: ["access/eviction", "eviction"],
} satisfies Partial<Setting>;

/** Settings of the system, which each function gets by itself. */
const forRules = (environment: Readonly<Record<string, string>>) =>
  Object.fromEntries(rules.map((rule) => [`eviction-${rule}`, environment]));
const chain = ["disable-compute", "confirm-outage", "shut-down-host", "evacuate-servers", "move-servers"];
const rules = [...chain, "release-compute", "enable-compute", "label-node", "replace-agent"];

const password = "secret";

/** With the stand-in for OpenStack, a new one for each cluster; `environment` is what the system is set by. */
export function standInSetting(environment: Readonly<Record<string, string>>): Setting {
  const setting: Setting = {
    ...common,
    name: "with the stand-in for OpenStack",
    // A tick would nap until what waits is due, which a scenario asks for itself.
    environment: { "platform-sweep": { TICK: "2" }, ...forRules(environment) },
    connect: (clock) => {
      const standIn = createOpenStack({ clock, random: seededRandom(11), hosts, password, downAfter: 10_000 });
      const { authUrl, transportTo, cloud, network } = standIn;
      const under: OpenStackUnderTest = {
        ...{ authUrl, transportTo, clock, password, hosts, server: {} },
        settled: (work) => ("advance" in clock ? outcomeOf(clock as VirtualClock, work, 600_000) : work),
        agents: async (host, sort, isRunning) => network.run(host, sort, isRunning),
        control: { stop: async (host) => cloud.run(host, false), start: async (host) => cloud.run(host, true) },
      };
      const wire: Wire = { step: (_, send) => send() };
      const here: Beside = { cloud: harnessFor(under), standIn, wire, attempts: 3 };
      beside.set(setting, here);
      const tampered = (root: string) => async (request: SystemRequest) => {
        const given = here.tamper?.(new URL(root).host.split(".")[0] ?? "", request);
        if (given) return { status: 200, headers: {}, body: "", ...given };
        return wire.step(request, () => transportTo(root)(request));
      };
      const credential = async (name: string) => (name === "password" ? password : undefined);
      const tools = { transport: tampered(authUrl), transportTo: tampered, clock, credential };
      // Another release has a client of its own.
      const clients = new Map<ExternalSystem, unknown>();
      return <Client>(system: ExternalSystem<Client>) => {
        const settings = readSettings(system.settings, { OS_AUTH_URL: authUrl });
        const client = clients.get(system) ?? system.connect({ ...tools, settings });
        clients.set(system, client);
        return client as Client;
      };
    },
  };
  return setting;
}
export const standInOpenStack = standInSetting({ EVICTION_DOWN_FOR: "30s" });

/** With a real OpenStack: `environment` is that of a function, and `more` what else the system is set by. */
export function realOpenStack(
  {
    environment,
    under,
  }: { readonly environment: Readonly<Record<string, string>>; readonly under: OpenStackUnderTest },
  more: Readonly<Record<string, string>> = {},
): Setting {
  const attempts = 2;
  // Beside a real one time is short.
  const short = { EVICTION_LOOK_AGAIN: "2000", EVICTION_DOWN_FOR: "15s", EVICTION_ATTEMPTS: String(attempts) };
  const setting: Setting = {
    ...common,
    name: `with a real OpenStack, ${more.EVICTION_SHARED_STORAGE ? "whose hosts share storage" : "with local disks"}`,
    environment: { "platform-sweep": { TICK: "2" }, ...forRules({ ...short, ...more }) },
    connect: (clock) => {
      const wire: Wire = { step: (_, send) => send() };
      beside.set(setting, { cloud: harnessFor(under), wire, attempts });
      return connectSystems({ openstack }, environment, clock, (_, transport) => (request) => {
        return wire.step(request, () => transport(request));
      });
    },
  };
  return setting;
}
