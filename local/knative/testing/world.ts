import { createEventing, type Eventing, type EventingOptions } from "../../../eventing/control/eventing.ts";
import { seededRandom } from "../../../eventing/random.ts";
import { type Arrival, type Reply, subscribers } from "../../../eventing/testing/subscribers.ts";
import type { Hop } from "../../../eventing/trace.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { createClient } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { createApiServer } from "../../apiserver/server.ts";
import type { Trouble } from "../../controllers/controller.ts";
import { CustomResourceDefinition } from "../../controllers/objects/kinds.ts";
import { shareReflections } from "../../controllers/reflections.ts";
import { outcomeOf } from "../../time/testing/outcome-of.ts";
import { type VirtualClock, virtualClock } from "../../time/testing/virtual-clock.ts";
import { startEventingController } from "../control/controller.ts";
import { eventingDefinitions } from "../definitions.ts";

/** Knative Eventing on the API server of this repository, in process and on virtual time. */
export interface EventingWorld {
  clock: VirtualClock;
  client: Client;
  eventing: Eventing;
  /** What reached functions. */
  arrivals: Arrival[];
  hops: Hop[];
  troubles: Trouble[];
  /** Functions that have an address; the others cannot be resolved. */
  services: Set<string>;
  create(kind: Kind, name: string, spec?: object, metadata?: object): Promise<KubernetesObject>;
  get(kind: Kind, name: string): Promise<KubernetesObject | undefined>;
  close(): Promise<void>;
}

/** Objects are created in the namespace `shop`, which is there. */
export async function openEventingWorld(
  replies: Record<string, Reply[]> = {},
  options: Partial<EventingOptions> = {},
): Promise<EventingWorld> {
  const clock = virtualClock();
  const random = seededRandom(1);
  const server = createApiServer({ clock, random });
  const client = createClient(server.handle, { clock });
  const ended = new AbortController();
  const { send, arrivals } = subscribers(clock, replies);
  const hops: Hop[] = [];
  const troubles: Trouble[] = [];
  const services = new Set(["release", "dead-letter"]);
  const following = { client, transport: server.handle, clock, random, signal: ended.signal };
  for (const definition of eventingDefinitions) await client.create(CustomResourceDefinition, definition as never);
  await client.request("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
  // A kind is served a moment after it was defined.
  await clock.advance(5000);
  const reflections = shareReflections(following);
  const eventing = createEventing({
    tools: { ...following, send, trace: (hop) => hops.push(hop), server: "https://server" },
    ingress: "http://broker-ingress",
    resolve: ({ name, namespace }) => (services.has(name) ? `http://${name}.${namespace}` : undefined),
    ...options,
  });
  const tools = { ...following, reflections, record: () => {}, trouble: (trouble: Trouble) => troubles.push(trouble) };
  const { synced } = startEventingController(tools, eventing);
  await clock.settle();
  await outcomeOf(clock, synced, 60_000);
  return {
    clock,
    client,
    eventing,
    arrivals,
    hops,
    troubles,
    services,
    create: (kind, name, spec, metadata) => {
      const { apiVersion } = kind;
      const object = { apiVersion, kind: kind.kind, metadata: { name, namespace: "shop", ...metadata } };
      return client.create(kind, { ...object, ...(spec ? { spec } : {}) } as never);
    },
    get: (kind, name) => client.get(kind, "shop", name),
    async close() {
      ended.abort(new Error("over"));
      server.close();
      await reflections.stopped();
    },
  };
}
