import { createEventing, type EventingOptions } from "../../eventing/control/eventing.ts";
import { sourcesWatch } from "../../eventing/control/sources-watch.ts";
import type { Send } from "../../eventing/send.ts";
import { startEventing } from "../../eventing/start-eventing.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Server } from "./server.ts";

/** Sources and brokers at work. */
export interface RunningEventing {
  /** Sends to brokers directly, and to all others as given. */
  readonly send: Send;
  /** Whether every source sees changes. */
  watching(): boolean;
  /** Takes objects as they are now; absent where only a restart does. */
  declare?(objects: readonly KubernetesObject[]): void;
}

type Options = Omit<EventingOptions, "identify"> & Required<Pick<EventingOptions, "identify">>;

const ingress = "http://broker-ingress.knative-eventing.svc.cluster.local";

/** The URL at which brokers reach a Service. */
export const addressOf = (namespace: string, service: string) => `http://${service}.${namespace}.svc.cluster.local`;

/** What sources and brokers beside an API server are made of. */
export function eventingOptions(
  { admin, transport, clock }: Server,
  {
    createBroker,
    identify,
    ...tools
  }: Required<
    Pick<Options["tools"], "post" | "random" | "send" | "signal"> & Pick<Options, "createBroker" | "identify">
  >,
): Options {
  return {
    tools: { client: admin, transport, clock, server: "https://10.96.0.1:443", ...tools },
    ingress,
    createBroker,
    identify,
    resolve: ({ kind, namespace, name }) => (kind === "Service" ? addressOf(namespace ?? "default", name) : undefined),
  };
}

/** As Knative runs them: each source as the account that it names. */
export function withKnative(options: Options, objects: readonly KubernetesObject[]): RunningEventing {
  const eventing = createEventing(options);
  eventing.declare(objects);
  return {
    send: eventing.send,
    declare: eventing.declare,
    watching: () => sourcesWatch(eventing, objects),
  };
}

/** As one process runs them where there is no Knative, as an account of its own. */
export function withoutKnative(
  { tools, ingress, identify }: Options,
  objects: readonly KubernetesObject[],
): RunningEventing {
  const transport = identify("holdfast", "platform-source");
  const client = createClient(transport, { clock: tools.clock });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const { receive, ready } = startEventing({ objects, ingress, tools: { ...tools, transport, client }, log: silent });
  return {
    send: (url, request, signal) =>
      url.startsWith(`${ingress}/`)
        ? receive(url.slice(ingress.length), request, signal)
        : tools.send(url, request, signal),
    watching: ready,
  };
}
