import type { KubernetesObject } from "../shared/kubernetes/object.ts";
import type { Log } from "../shared/log.ts";
import { createEventing, type Eventing } from "./control/eventing.ts";
import { sourcesWatch } from "./control/sources-watch.ts";
import { features } from "./read-eventing.ts";
import type { ApiServerSourceTools } from "./source/api-server-source.ts";
import { describeHop, type Hop } from "./trace.ts";

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

/** Starts what the objects ask for. All sources watch with the tools' own identity, whatever account they name. */
export function startEventing({ objects, ingress, tools, log }: StandaloneOptions): Standalone {
  const eventing = createEventing({
    tools: { ...tools, trace: (hop) => logHop(log, hop) },
    ingress,
    features,
    // A function's Service has the name, and the port, that its Knative Service would have.
    resolve: ({ kind, namespace, name }) => (kind === "Service" ? `http://${name}.${namespace}.svc` : undefined),
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
