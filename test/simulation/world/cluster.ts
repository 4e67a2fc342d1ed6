import type { Broker } from "../../../eventing/broker/broker.ts";
import { createEventing, type Eventing } from "../../../eventing/control/eventing.ts";
import type { ManagedSource } from "../../../eventing/control/managed-source.ts";
import { sourcesWatch } from "../../../eventing/control/sources-watch.ts";
import { Trigger } from "../../../eventing/kinds.ts";
import type { Send } from "../../../eventing/send.ts";
import { createControllerTools } from "../../../local/controllers/controller-tools.ts";
import { startControllers } from "../../../local/controllers/start-controllers.ts";
import { crashingDispatcher } from "../../../local/knative/crashing-dispatcher.ts";
import { outcomeOf } from "../../../local/time/outcome-of.ts";
import type { VirtualClock } from "../../../local/time/virtual-clock.ts";
import { type Client, createClient } from "../../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Transport } from "../../../shared/kubernetes/transport.ts";
import { type Faults, fatedBrokers, fatedPost } from "../../faults/fates.ts";
import { furnish, kubeletNode } from "../../worlds/cluster-objects.ts";
import { emulatedServer } from "../../worlds/emulated-server.ts";
import type { Handler, Start } from "../../worlds/functions.ts";
import { readInstallation } from "../../worlds/installation.ts";
import { Namespace, ServiceAccount } from "../../worlds/kinds.ts";
import { manifest } from "../../worlds/manifest.ts";
import type { Rates } from "../faults/rates.ts";
import type { Scenario } from "../scenario.ts";
import type { Streams } from "../streams.ts";
import type { Trace } from "../trace.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import type { History } from "./history.ts";
import { putOn } from "./installed.ts";
import { withLatency } from "./latency.ts";
import { shop } from "./namespace.ts";
import type { Network } from "./network.ts";
import type { SimulatedSystem } from "./simulated-system.ts";

/** A whole cluster in this process with Holdfast on it. */
export interface Cluster {
  /** The API as a user. */
  readonly user: Client;
  readonly fleet: Fleet;
  readonly sources: readonly ManagedSource[];
  readonly brokers: readonly Broker[];
  /** Posts into the cluster's network, as somebody outside of it would. */
  readonly send: Send;
  /** Makes the API server forget the past: watches and continue tokens before now answer 410. */
  compact(): void;
  stop(): void;
}

export interface ClusterParts {
  readonly scenario: Scenario;
  readonly clock: VirtualClock;
  readonly streams: Streams;
  readonly trace: Trace;
  readonly history: History;
  readonly network: Network;
  /** Absent where no function uses any. */
  readonly outsides?: ReadonlyMap<string, SimulatedSystem>;
  readonly faults: Faults;
  readonly rates: Rates;
  readonly starters: Readonly<Record<string, (start: Start) => Handler>>;
  /** A function runs that differs from the repository's: no policy holds accounts to what functions declare. */
  readonly mutated: boolean;
}

const usual = [
  "kubelet",
  "kube-scheduler",
  "persistentvolume-binder-controller",
  "persistentvolumeclaim-protection-controller",
];
const ingress = "http://broker-ingress.knative-eventing.svc.cluster.local";

/** Starts a cluster and waits until everything in it watches. */
export async function startCluster(parts: ClusterParts): Promise<Cluster> {
  const { scenario, clock, streams, history, network, faults, rates, starters, trace } = parts;
  const { setting } = scenario;
  const random = streams("kubernetes");
  const server = emulatedServer(clock, random, {
    objectInUseProtection: setting.inTree || scenario.admissionPlugin === true,
    managedFields: scenario.managedFields === true,
    ownerReferencesPermissionEnforcement: setting.guardsOwnerReferences ?? true,
    observe: history.observe,
  });
  const { admin, connect } = server;
  // What the server loads when it is first asked takes real time, of which a virtual clock knows nothing.
  await admin.request("GET", "/apis");
  const ended = new AbortController();
  const { signal } = ended;
  const kubernetes = withLatency(server.transport, clock, streams("watches of kubernetes"));
  const controllers = startControllers({
    transport: kubernetes,
    clock,
    random,
    signal,
    controllers: [...usual, ...(scenario.controllers ?? [])].filter(
      (name) => setting.inTree || !name.startsWith("persistentvolumeclaim-protection"),
    ),
    kubelet: { nodes: [kubeletNode] },
    ...(scenario.claimLag ? { scheduler: { claimLag: scenario.claimLag } } : {}),
  });
  await furnish(admin);
  await admin.create(Namespace, manifest(Namespace, { name: shop }));
  await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace: shop, name: "default" })).catch(() => {});

  const installation = readInstallation(setting);
  // What a mutant does wrong must happen, and not be refused.
  const isHeld = ({ kind }: KubernetesObject) => parts.mutated && kind.startsWith("ValidatingAdmissionPolicy");
  const objects = installation.objects.filter((object) => !isHeld(object));
  const identify = await putOn(admin, connect, { ...installation, objects });
  const tools = createControllerTools({ transport: kubernetes, clock, random, signal, trouble: () => {} });
  for (const { join } of parts.outsides?.values() ?? []) if (join) await outcomeOf(clock, join(tools), 300_000);
  let eventing: Eventing | undefined;
  const fleet = createFleet({
    services: installation.services,
    starters,
    clock,
    streams,
    trace,
    network,
    outsides: [...(parts.outsides?.values() ?? [])],
    skew: rates.skew,
    mixed: rates.mixed,
    identify: ({ namespace, serviceAccount }) => identify(namespace, serviceAccount),
    post: (url, request) => (eventing ? eventing.send(url, request) : Promise.reject(new Error("connection refused"))),
  });
  eventing = createEventing({
    tools: {
      client: admin,
      transport: server.transport,
      clock,
      random: streams("knative"),
      signal,
      post: fatedPost(faults),
      server: "https://10.96.0.1:443",
      send: fleet.deliver,
    },
    ingress,
    createBroker: fatedBrokers(faults, crashingDispatcher()),
    resolve: ({ kind, namespace, name }) =>
      kind === "Service" ? `http://${name}.${namespace ?? "default"}.svc.cluster.local` : undefined,
    identify: (namespace, name) => withLatency(identify(namespace, name), clock, streams(`watches of ${name}`)),
  });
  eventing.declare(installation.eventing);

  let synced = false;
  controllers.synced.then(() => {
    synced = true;
  });
  const declared = (kind: string) =>
    installation.eventing.filter((object) => object.kind === kind).map(({ metadata }) => metadata);
  // A broker without a Trigger holds nothing that could be lost.
  const triggered = new Set(
    installation.eventing.flatMap(({ kind, spec }) =>
      kind === Trigger.kind ? (spec as { broker: string }).broker : [],
    ),
  );
  const watching = () => sourcesWatch(eventing, installation.eventing);
  if (!(await clock.runUntil(() => synced && watching(), 10_000))) throw new Error("The cluster did not come up.");

  const userTransport: Transport = (request) => history.as({ name: "user" }, () => server.transport(request));
  return {
    user: createClient(userTransport, { clock }),
    fleet,
    sources: declared("ApiServerSource").flatMap(({ namespace = "", name }) => eventing.source(namespace, name) ?? []),
    brokers: declared("Broker").flatMap(({ namespace = "", name }) =>
      triggered.has(name) ? (eventing.broker(namespace, name) ?? []) : [],
    ),
    send: eventing.send,
    compact: () => void server.expire(""),
    stop() {
      ended.abort(new Error("The run is over."));
      void server.stop();
    },
  };
}
