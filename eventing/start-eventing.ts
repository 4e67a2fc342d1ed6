import { unbrokenSince } from "../shared/event/unbroken-since.ts";
import type { HttpRequest } from "../shared/http-message.ts";
import type { KubernetesObject } from "../shared/kubernetes/object.ts";
import type { Log } from "../shared/log.ts";
import { createEventing, type Eventing } from "./control/eventing.ts";
import { sourcesWatch } from "./control/sources-watch.ts";
import { features } from "./read-eventing.ts";
import type { Send } from "./send.ts";
import type { ApiServerSourceTools } from "./source/api-server-source.ts";
import { describeHop, type Hop, type Trace } from "./trace.ts";

/** Sources and brokers that run without Knative. */
export interface Standalone {
  /** The ingress of the brokers. */
  readonly receive: Eventing["receive"];
  /** Whether every source sees changes. */
  ready(): boolean;
  /**
   * Resolves when nothing waits in the brokers any more, or after `patience` milliseconds, with how much still does.
   */
  drained(patience: number): Promise<number>;
}

export interface StandaloneOptions {
  readonly objects: readonly KubernetesObject[];
  /** The root of the brokers' addresses. */
  readonly ingress: string;
  /** `signal` ends the sources; what brokers hold is delivered all the same. */
  readonly tools: Omit<ApiServerSourceTools, "trace">;
  readonly log: Log;
}

/** Starts what the objects ask for. All sources watch with the tools' own identity. */
export function startEventing({ objects, ingress, tools, log }: StandaloneOptions): Standalone {
  let unbroken: number | undefined;
  const trace: Trace = (hop) => {
    if (unbroken !== undefined && isLoss(hop)) unbroken = hop.at;
    logHop(log, hop);
  };
  // The sweep, which the schedule starts, has no other way to see that changes went by unseen.
  const send: Send = (url, request, signal) => tools.send(url, withUnbroken(request, unbroken), signal);
  const eventing = createEventing({
    tools: { ...tools, send, trace },
    ingress,
    features,
    // A function's Service has the name, and the port, that its Knative Service would have.
    resolve: ({ kind, namespace, name }) => (kind === "Service" ? `http://${name}.${namespace}.svc` : undefined),
  });
  eventing.onChange(() => {
    if (!sourcesWatch(eventing, objects)) unbroken = undefined;
    else unbroken ??= tools.clock.now();
  });
  eventing.declare(objects);
  const brokers = objects.filter(({ kind }) => kind === "Broker");
  const pending = () =>
    brokers
      .map(({ metadata: { namespace = "default", name } }) => eventing.broker(namespace, name)?.pending() ?? 0)
      .reduce((sum, each) => sum + each, 0);

  return {
    receive: eventing.receive,
    ready: () => sourcesWatch(eventing, objects),
    async drained(patience) {
      const end = tools.clock.now() + patience;
      while (pending() > 0 && tools.clock.now() < end) await tools.clock.sleep(100);
      return pending();
    },
  };
}

/** Whether changes went by unseen, or what was seen was not delivered to a broker. */
const isLoss = (hop: Hop) => hop.hop === "gap" || (hop.hop === "dropped" && hop.by.startsWith("ApiServerSource "));

/** An event of the schedule with the time since when no change has gone by unseen; others as they are. */
function withUnbroken(request: HttpRequest, since: number | undefined): HttpRequest {
  if (since === undefined || request.headers["ce-type"] !== "dev.knative.sources.ping") return request;
  return { ...request, headers: { ...request.headers, [`ce-${unbrokenSince}`]: new Date(since).toISOString() } };
}

function logHop(log: Log, hop: Hop): void {
  const fields = "event" in hop ? { hop: hop.hop, event: hop.event.id } : { hop: hop.hop };
  log[levels[hop.hop] ?? "debug"](fields, `${describeHop(hop)}.`);
}

const levels: Partial<Record<Hop["hop"], keyof Log>> = {
  gap: "info",
  trouble: "warn",
  failed: "info",
  "dead-lettered": "warn",
  refused: "warn",
  dropped: "warn",
};
