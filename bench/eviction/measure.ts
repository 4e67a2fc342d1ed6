import { seededRandom } from "../../eventing/random.ts";
import { NovaComputeNode } from "../../functions/eviction/lib/kinds.ts";
import { approvalKey } from "../../functions/eviction/lib/names.ts";
import { maintenanceLabel } from "../../functions/eviction/lib/node-lock.ts";
import { openstack } from "../../functions/eviction/lib/openstack/system.ts";
import type { DependentObject } from "../../functions/eviction/lib/schema.ts";
import { createOpenStack } from "../../local/openstack/openstack.ts";
import type { Clock } from "../../shared/clock.ts";
import { Node } from "../../shared/kubernetes/kind.ts";
import { readSettings } from "../../shared/settings.ts";
import { kubeletNode } from "../../test/harness/cluster-objects.ts";
import { manifest } from "../../test/harness/manifest.ts";
import type { Server } from "../../test/harness/server.ts";
import { openRestingCluster } from "../rest/measure.ts";

/** What the eviction of a host has asked of Nova. */
export interface Traffic {
  /** Milliseconds from the agreement until the resource was gone. */
  readonly took: number;
  /** All requests to Nova. */
  readonly requests: number;
  /** Requests in the busiest minute. */
  readonly busiest: number;
  /** How many servers were moved, and how many were asked to move more than once. */
  readonly moved: number;
  readonly twice: number;
}

const [namespace, password, minute, hour] = ["yaook", "secret", 60_000, 3_600_000];
const evicted = [namespace, kubeletNode] as const;

/**
 * Evicts a host with so many servers that run, with the manifests as they are shipped and on virtual time: functions
 * come from zero, and the sweep by its own schedule. `copying`: milliseconds that a live move takes.
 */
export async function measureEviction(servers: number, copying: number): Promise<Traffic> {
  const asked: number[] = [];
  let cloud: ReturnType<typeof createOpenStack>["cloud"] | undefined;
  let on: Server | undefined;

  function begin(clock: Clock) {
    const standIn = createOpenStack({
      ...{ clock, random: seededRandom(5), password, copying },
      hosts: [kubeletNode, "node-b"],
    });
    cloud = standIn.cloud;
    const client = openstack.connect({
      clock,
      settings: readSettings(openstack.settings, { OS_AUTH_URL: standIn.authUrl }),
      credential: async (name) => (name === "password" ? password : undefined),
      transport: standIn.transportTo(standIn.authUrl),
      transportTo: (root) => (request) => {
        if (new URL(root).host.startsWith("nova.")) asked.push(clock.now());
        return standIn.transportTo(root)(request);
      },
    });
    return { connect: <Client>() => client as Client, populate };
  }

  async function populate(server: Server): Promise<void> {
    on = server;
    const { admin, eventually } = server;
    const metadata = { labels: { [maintenanceLabel]: "False" } };
    await admin.patch(Node, undefined, kubeletNode, "merge", { metadata });
    const template = { spec: { containers: [{ name: "nova-compute", image: "nova-compute" }] } };
    const resource = manifest(NovaComputeNode, { namespace, name: kubeletNode }, { spec: { template } });
    await admin.create(NovaComputeNode, resource);
    const serves = async () =>
      (await admin.get<DependentObject>(NovaComputeNode, ...evicted))?.status?.conditions?.some(
        ({ type, status }) => type === "Enabled" && status === "True",
      );
    await eventually("the compute node serves", serves, hour);
    for (let index = 0; index < servers; index++) cloud?.boot(`server-${index}`, kubeletNode, "admin");
  }

  const components = ["access/eviction", "eviction"];
  const system = { externalSystem: openstack.name, components, nodes: [], begin };
  const cluster = await openRestingCluster({ system });
  try {
    const { admin, eventually, clock } = on as unknown as Server;
    asked.length = 0;
    const since = clock.now();
    await admin.delete(NovaComputeNode, ...evicted);
    await admin.patch(NovaComputeNode, ...evicted, "merge", { metadata: { annotations: { [approvalKey]: "true" } } });
    await eventually("it is gone", async () => !(await admin.get(NovaComputeNode, ...evicted)), 24 * hour);
    const moves = cloud?.moves ?? [];
    const moved = new Set(moves.map(({ server }) => server)).size;
    return {
      took: clock.now() - since,
      requests: asked.length,
      busiest: Math.max(...asked.map((from) => asked.filter((at) => at >= from && at < from + minute).length)),
      moved,
      twice: moves.length - moved,
    };
  } finally {
    await cluster.stop();
  }
}
