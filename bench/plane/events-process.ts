/**
 * A process of the benchmarks: the sources, brokers and Triggers of `knative/` as the laptop edition obeys them, with
 * one function at their end, which it starts as the activator does. One instance and no more, so that its processor
 * time and memory are one process's.
 */
import { dirname } from "node:path";
import { functionEnvironment } from "../../build/functions/environment.mjs";
import { createEventing } from "../../eventing/control/eventing.ts";
import { sourcesWatch } from "../../eventing/control/sources-watch.ts";
import { seededRandom } from "../../eventing/random.ts";
import type { Hop } from "../../eventing/trace.ts";
import { type Instance, startInstance } from "../../local/serving/instance.ts";
import { startKeeper } from "../../local/serving/keeper.ts";
import { createRevision } from "../../local/serving/revision.ts";
import { systemClock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { kubeconfigTransport } from "../../shared/kubernetes/kubeconfig-transport.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { readInstallation } from "../../test/harness/installation.ts";
import { instant } from "./watch-claims.ts";

/** What the process receives. */
export interface EventsOrder {
  /** Name of the function's Service in `knative/`. */
  readonly service: string;
  readonly entry: string;
  /** The function's. */
  readonly kubeconfig: string;
  /** The sources', by service account. */
  readonly sources: Readonly<Record<string, string>>;
  /** Of an account that may see namespaces and make tokens, as Knative's own controller. */
  readonly controller: string;
  readonly finalizer?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly trace: boolean;
}

/** A step on the way of an event about a claim; times by `instant`. */
export interface PassedHop {
  readonly hop: Hop["hop"];
  readonly claim: string;
  readonly at: number;
}

/** What it reports: the function's process once everything is at work, and hops after that. */
export type EventsReport = { readonly pid: number } | PassedHop;

const order = JSON.parse(process.argv[2] ?? "") as EventsOrder;
// The process that asked may have ended before the answer comes.
const report = (report: EventsReport) => process.connected && process.send?.(report, undefined, {}, () => {});
const ended = new AbortController();
const { finalizer } = order;
const installation = readInstallation({
  name: "bench",
  inTree: true,
  components: [],
  environment: { [order.service]: { ...order.environment, LOG_LEVEL: "warn" } },
  ...(finalizer ? { finalizer } : {}),
});
const plan = installation.services.find(({ service }) => service === order.service);
if (!plan) throw new Error(`knative/ has no Service ${order.service}.`);

const keeper = startKeeper();
let instance: Instance | undefined;
const revision = createRevision({
  plan: { ...plan, scale: { ...plan.scale, window: 3_600_000 } },
  report: (event) => {
    if (event.what === "crashed" || event.what === "failed") console.error(event.message);
  },
  async start(signal) {
    const launch = {
      command: process.execPath,
      args: [order.entry],
      cwd: dirname(order.entry),
      environment: { ...functionEnvironment, ...plan.environment, KUBECONFIG: order.kubeconfig },
    };
    const print = (record: Record<string, unknown>) => console.error(JSON.stringify(record));
    instance = await startInstance(launch, keeper, 30_000, print, signal);
    return instance;
  },
});

const transports = new Map(Object.entries(order.sources).map(([name, file]) => [name, kubeconfigTransport(file)]));
// Knative's controller, which looks for the namespaces, is neither of them.
const controller = kubeconfigTransport(order.controller);
const eventing = createEventing({
  tools: {
    client: createClient(controller),
    transport: controller,
    clock: systemClock,
    random: seededRandom(1),
    signal: ended.signal,
    server: "https://10.96.0.1:443",
    send: (url, request, signal) => {
      if (new URL(url).hostname !== addressOf(order.service)) throw new Error(`No event is to be sent to ${url}.`);
      return revision.handle("/", request, signal);
    },
    trace,
  },
  ingress: "http://broker-ingress.knative-eventing.svc.cluster.local",
  resolve: ({ name }) => `http://${addressOf(name)}`,
  identify: (_, account) => {
    const transport = transports.get(account);
    if (!transport) throw new Error(`There is no token of ${account}.`);
    return transport;
  },
});

function trace(hop: Hop): void {
  if (hop.hop === "dropped" || hop.hop === "dead-lettered" || hop.hop === "trouble" || hop.hop === "gap")
    console.error(JSON.stringify(hop));
  // A source's own delivery to the broker is over before the Trigger's has begun.
  const own = hop.by.startsWith("ApiServerSource") && hop.hop !== "emitted";
  if (order.trace && !own && "event" in hop && hop.event.type?.endsWith(".update"))
    report({ hop: hop.hop, claim: String(hop.event.name), at: instant() });
}

function addressOf(service: string): string {
  return `${service}.${plan?.namespace}.svc.cluster.local`;
}

/** Only what ends at this function. */
function concerns(object: KubernetesObject): boolean {
  if (object.kind !== "Trigger") return true;
  const { subscriber } = object.spec as { subscriber: { ref: { name: string } } };
  return subscriber.ref.name === order.service;
}

process.once("disconnect", async () => {
  ended.abort();
  await revision.close(0);
  keeper.close();
  process.exit();
});
await revision.prove();
eventing.declare(installation.eventing.filter(concerns));
const check = () => {
  if (sourcesWatch(eventing, installation.eventing) && instance) report({ pid: instance.pid });
};
eventing.onChange(check);
check();
