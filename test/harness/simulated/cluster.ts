import type { Broker } from "../../../eventing/broker/broker.ts";
import { createEventing, type Eventing } from "../../../eventing/control/eventing.ts";
import type { ManagedSource } from "../../../eventing/control/managed-source.ts";
import { sourcesWatch } from "../../../eventing/control/sources-watch.ts";
import { Trigger } from "../../../eventing/kinds.ts";
import type { Send } from "../../../eventing/send.ts";
import { createControllerTools } from "../../../local/controllers/controller-tools.ts";
import { crashingDispatcher } from "../../../local/knative/crashing-dispatcher.ts";
import { outcomeOf } from "../../../local/time/testing/outcome-of.ts";
import type { VirtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { type Client, createClient } from "../../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Transport } from "../../../shared/kubernetes/transport.ts";
import { createAccounts } from "../accounts.ts";
import type { Setting } from "../cluster.ts";
import { startEnvironment } from "../environment.ts";
import { addressOf, eventingOptions } from "../eventing.ts";
import { eventFaults } from "../faults/events.ts";
import { fatedBrokers, fatedPost } from "../faults/fates.ts";
import type { Rates } from "../faults/rates.ts";
import type { FaultSchedule } from "../faults/schedule.ts";
import type { Handler, Start } from "../functions.ts";
import { install, readInstallation } from "../installation.ts";
import { createNamespace } from "../open-namespace.ts";
import { openVirtualServer } from "../virtual-server.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import type { History } from "./history.ts";
import { withLatency } from "./latency.ts";
import { shop } from "./namespace.ts";
import { createNetwork, type Gate, type NetworkParts, type Outgoing } from "./network.ts";
import type { SimulatedSystem } from "./simulated-system.ts";
import type { Streams } from "./streams.ts";
import type { Trace } from "./trace.ts";

/** A whole cluster in this process with Holdfast on it, whose network and functions fail. */
export interface SimulatedCluster {
  /** The API as a user. */
  readonly user: Client;
  readonly fleet: Fleet;
  readonly sources: readonly ManagedSource[];
  readonly brokers: readonly Broker[];
  /** Posts into the cluster's network, as a client outside of it does. */
  readonly send: Send;
  /** Has the sweep come every so many milliseconds, but when it `isAway`. Rejects when the signal aborts. */
  sweepEvery(ms: number, signal: AbortSignal, isAway?: () => boolean): Promise<never>;
  /** Makes the API server forget the past: watches and continue tokens before now answer 410. */
  compact(): void;
  stop(): void;
}

/** What a simulated cluster is like besides its setting. */
export interface SimulatedEnvironment {
  readonly setting: Setting;
  /** Controllers of Kubernetes that are needed besides binder, scheduler, kubelet and claim protection. */
  readonly controllers?: readonly string[];
  /**
   * The admission plugin of Kubernetes' own protection is on although its controller is not, as where only that was
   * switched off.
   */
  readonly admissionPlugin?: boolean;
  /** The server notes who manages which field, which a rule of the scenario reads. It costs a third of each write. */
  readonly managedFields?: boolean;
  /** Milliseconds by which the scheduler sees claims late. */
  readonly claimLag?: number;
}

export interface SimulatedClusterParts extends Pick<NetworkParts, "disturb" | "disturbOutside"> {
  readonly environment: SimulatedEnvironment;
  readonly clock: VirtualClock;
  readonly streams: Streams;
  readonly trace: Trace;
  readonly history: History;
  readonly schedule: FaultSchedule;
  readonly rates: Rates;
  /** What is to happen to a request; another process of its function may join it besides. */
  readonly gate: (outgoing: Outgoing) => ReturnType<Gate> | "second instance";
  /** Whether no event leaves a source now. */
  readonly losesEvents?: () => boolean;
  /** Absent where no function uses any. */
  readonly outsides?: ReadonlyMap<string, SimulatedSystem>;
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

/** Starts a cluster and waits until everything in it watches. */
export async function openSimulatedCluster(parts: SimulatedClusterParts): Promise<SimulatedCluster> {
  const { environment, clock, streams, history, rates, schedule, starters, trace, gate } = parts;
  const { setting, controllers = [], claimLag } = environment;
  const random = streams("kubernetes");
  const server = await openVirtualServer(setting, clock, random, {
    objectInUseProtection: setting.inTree || environment.admissionPlugin === true,
    managedFields: environment.managedFields === true,
    observe: history.observe,
  });
  const { admin } = server;
  const ended = new AbortController();
  const { signal } = ended;
  const kubernetes = withLatency(server.transport, clock, streams("watches of kubernetes"));
  const { synced } = await startEnvironment(server, {
    transport: kubernetes,
    random,
    signal,
    controllers: [...usual, ...controllers].filter(
      (name) => setting.inTree || !name.startsWith("persistentvolumeclaim-protection"),
    ),
    ...(claimLag ? { scheduler: { claimLag } } : {}),
  });
  await createNamespace(admin, shop);

  const installation = readInstallation(setting);
  // What a mutant does wrong must happen, and not be refused.
  const isHeld = ({ kind }: KubernetesObject) => parts.mutated && kind.startsWith("ValidatingAdmissionPolicy");
  await install(
    admin,
    installation.objects.filter((object) => !isHeld(object)),
  );
  const accounts = createAccounts(server);
  await accounts.connect(installation.accounts);
  const tools = createControllerTools({ transport: kubernetes, clock, random, signal, trouble: () => {} });
  for (const { join } of parts.outsides?.values() ?? []) if (join) await outcomeOf(clock, join(tools), 300_000);

  const network = createNetwork({
    ...parts,
    pageSize: rates.pageSize,
    gate(outgoing) {
      const verdict = gate(outgoing);
      if (verdict !== "pass" && verdict !== "second instance") return verdict;
      const { index, process, events } = outgoing;
      const isJoined =
        !process.company &&
        schedule.draw(`company at request ${index}`, (random) => random.next() < rates.company || undefined);
      if (verdict === "pass" && !isJoined) return "pass";
      trace.add(process.name, "gets company");
      const event = events.at(-1);
      if (event) fleet.deliverTo(process.rule, event).catch(() => {});
      return "pass";
    },
  });
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
    identify: ({ namespace, serviceAccount }) => accounts.identify(namespace, serviceAccount),
    post: (url, request) => (eventing ? eventing.send(url, request) : Promise.reject(new Error("connection refused"))),
  });
  const faults = eventFaults(schedule, rates, trace, parts.losesEvents);
  eventing = createEventing(
    eventingOptions(server, {
      random: streams("knative"),
      signal,
      post: fatedPost(faults),
      send: fleet.deliver,
      createBroker: fatedBrokers(faults, crashingDispatcher()),
      identify: (namespace, name) =>
        withLatency(accounts.identify(namespace, name), clock, streams(`watches of ${name}`)),
    }),
  );
  eventing.declare(installation.eventing);

  let isSynced = false;
  synced.then(() => {
    isSynced = true;
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
  if (!(await clock.runUntil(() => isSynced && watching(), 10_000))) throw new Error("The cluster did not come up.");

  const userTransport: Transport = (request) => history.as({ name: "user" }, () => server.transport(request));
  return {
    user: createClient(userTransport, { clock }),
    fleet,
    sources: declared("ApiServerSource").flatMap(({ namespace = "", name }) => eventing.source(namespace, name) ?? []),
    brokers: declared("Broker").flatMap(({ namespace = "", name }) =>
      triggered.has(name) ? (eventing.broker(namespace, name) ?? []) : [],
    ),
    send: eventing.send,
    async sweepEvery(ms, signal, isAway = () => false) {
      for (;;) {
        await clock.sleep(ms, signal);
        if (isAway()) continue;
        fleet.deliver(addressOf("holdfast", "platform-sweep"), { headers: {}, body: "" }).catch(() => {});
      }
    },
    compact: () => void server.expire(""),
    stop() {
      ended.abort(new Error("The run is over."));
      void server.stop();
    },
  };
}
