import type { HttpRequest, HttpResponse } from "../../shared/http-message.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { createBacklog } from "../broker/backlog.ts";
import { type Broker, createBroker } from "../broker/broker.ts";
import { defaultFeatures, type Features } from "../features.ts";
import { type EventingKind, isEventing } from "../manifest/read-plan.ts";
import type { Send } from "../send.ts";
import type { ApiServerSourceTools } from "../source/api-server-source.ts";
import { addressOf, type Resolve } from "./address.ts";
import { createDeclarations } from "./declarations.ts";
import type { Identify, ManagedSource } from "./managed-source.ts";
import { keepSources } from "./sources.ts";
import type { Standing } from "./standing.ts";
import { deadLetterSinkOf, type Find, subscriptionsOf, triggerStanding } from "./subscriptions.ts";

/**
 * What Knative Eventing runs with here. `tools.send` reaches everything but the brokers; `tools.signal` ends all of it.
 */
export interface EventingOptions {
  readonly tools: ApiServerSourceTools;
  /** Where the brokers are reached: the root of their URLs, without a slash at its end. */
  readonly ingress: string;
  /**
   * URL of anything an object may refer to except Brokers, Knative Services above all. Call {@link Eventing.refresh}
   * when an answer would be another.
   */
  readonly resolve: Resolve;
  readonly features?: Partial<Features>;
  readonly identify?: Identify;
  /** See `ManagedSourceOptions`; false by default. */
  readonly rollOnNamespaces?: boolean;
  /** What creates a broker; {@link createBroker} by default. */
  readonly createBroker?: typeof createBroker;
}

/** Brokers, Triggers and sources, running as the objects that were declared say. */
export interface Eventing {
  /**
   * Takes objects as they are now, new or changed; others than those of Knative Eventing are passed over. Effective at
   * once.
   */
  declare(objects: readonly KubernetesObject[]): void;
  withdraw(kind: EventingKind, namespace: string, name: string): void;
  /** Looks every reference up again. */
  refresh(): void;
  /** The ingress of all brokers; `path` is `/namespace/name`. */
  receive(path: string, request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse>;
  /** Sends to brokers directly, and elsewhere with the tools' `send`. */
  readonly send: Send;
  standing(kind: EventingKind, namespace: string, name: string): Standing | undefined;
  /** Called whenever a standing may have changed. */
  onChange(handler: () => void): void;
  broker(namespace: string, name: string): Broker | undefined;
  source(namespace: string, name: string): ManagedSource | undefined;
}

/** Knative Eventing on one machine, with nothing declared yet. */
export function createEventing(options: EventingOptions): Eventing {
  const { tools, ingress, resolve, identify, rollOnNamespaces = false } = options;
  const create = options.createBroker ?? createBroker;
  const features = options.features ? { ...defaultFeatures, ...options.features } : defaultFeatures;
  const declarations = createDeclarations(features);
  const brokers = new Map<string, Broker>();
  const backlog = createBacklog();
  const handlers: (() => void)[] = [];
  const changed = () => {
    for (const handler of handlers) handler();
  };
  const brokerUrl = (namespace: string, name: string) => brokers.get(`${namespace}/${name}`)?.url;
  const find: Find = (destination, namespace) => addressOf(destination, namespace, brokerUrl, resolve);

  const send: Send = (url, request, signal) =>
    url.startsWith(`${ingress}/`)
      ? receive(url.slice(ingress.length), request, signal)
      : tools.send(url, request, signal);
  const sources = keepSources(declarations, find, { identify, rollOnNamespaces, changed }, { ...tools, send });

  async function receive(path: string, request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse> {
    const parts = path.replace(/\/$/, "").split("/");
    if (parts.length !== 3) return { status: path === "/" ? 404 : 400, headers: {}, body: "" };
    const broker = brokers.get(`${parts[1]}/${parts[2]}`);
    return broker ? broker.receive(request, signal) : { status: 404, headers: {}, body: "" };
  }

  function refresh(): void {
    keepBrokers();
    for (const [key, broker] of brokers) broker.subscribe(subscriptionsOf(key, declarations, find));
    sources.keep();
    changed();
  }

  function keepBrokers(): void {
    for (const [key, broker] of brokers) {
      if (declarations.get("Broker", key)?.plan) continue;
      broker.stop();
      brokers.delete(key);
    }
    for (const { key, plan } of declarations.plans("Broker")) {
      // As in Knative, whether a broker is asynchronous is settled when it begins: the annotation is not looked at
      // again.
      if (brokers.has(key)) continue;
      const { namespace, name, async } = plan;
      const url = `${ingress}/${namespace}/${name}`;
      brokers.set(key, create({ namespace, name, url, async, backlog }, { ...tools, send }));
    }
  }

  function standing(kind: EventingKind, namespace: string, name: string): Standing | undefined {
    const key = `${namespace}/${name}`;
    const problem = declarations.get(kind, key)?.problem;
    if (problem !== undefined) return { kind: "unobeyable", message: problem };
    switch (kind) {
      case "Broker": {
        const plan = declarations.get(kind, key)?.plan;
        const broker = brokers.get(key);
        return plan && broker && { kind, url: broker.url, deadLetterSink: deadLetterSinkOf(plan, find) };
      }
      case "Trigger": {
        const plan = declarations.get(kind, key)?.plan;
        return plan && triggerStanding(plan, declarations, find);
      }
      case "ApiServerSource": {
        const source = sources.get(kind, key);
        if (!source) return undefined;
        const { sink, managed } = source;
        return { kind, sink, ...(managed?.standing() ?? { adapter: "starting" }) };
      }
      case "PingSource": {
        const source = sources.get(kind, key);
        return source && { kind, sink: source.sink };
      }
    }
  }

  return {
    declare: (objects) => {
      // Each is taken in before anything is acted upon, in any order.
      const changes = objects.filter(isEventing).map((object) => declarations.set(object));
      if (changes.includes(true)) refresh();
    },
    withdraw: (kind, namespace, name) => {
      declarations.delete(kind, `${namespace}/${name}`);
      refresh();
    },
    refresh,
    receive,
    send,
    standing,
    onChange: (handler) => handlers.push(handler),
    broker: (namespace, name) => brokers.get(`${namespace}/${name}`),
    source: (namespace, name) => sources.get("ApiServerSource", `${namespace}/${name}`)?.managed,
  };
}
