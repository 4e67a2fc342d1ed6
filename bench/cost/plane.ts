import { createEventing } from "../../eventing/control/eventing.ts";
import { sourcesWatch } from "../../eventing/control/sources-watch.ts";
import { toBinary } from "../../eventing/event/to-http.ts";
import { seededRandom } from "../../eventing/random.ts";
import { readManifests } from "../../eventing/read-manifests.ts";
import { changeEvent, type WatchedChange } from "../../eventing/source/change-event.ts";
import type { Hop } from "../../eventing/trace.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { virtualServer } from "../../test/harness/virtual-server.ts";

/** What changes of objects have cost on their way to the functions. */
export interface Traffic {
  /** Events that sources sent to brokers. */
  readonly events: number;
  /** HTTP requests inside the cluster, see {@link requestsFor}. */
  readonly requests: number;
  /** Events that reached functions, by the function's Service; those that none reached are not in it. */
  readonly wakes: ReadonlyMap<string, number>;
}

/**
 * The data plane that the repository's YAML declares: sources, brokers and Triggers as the laptop edition obeys them.
 */
export interface Plane {
  readonly admin: Client;
  /** Does something to the cluster, and returns what it cost once every event of it has arrived. */
  measure(deed: () => Promise<unknown>): Promise<Traffic>;
  /** How many Triggers a broker has, by its name. */
  readonly triggers: ReadonlyMap<string, number>;
  /** The Services of functions that Triggers lead to. */
  readonly functions: readonly string[];
  stop(): Promise<void>;
}

const ingress = "http://broker-ingress.knative-eventing.svc.cluster.local";
const server = "https://10.96.0.1:443";
/** Two watches of the in-process server and all of a broker's deliveries come to rest within this. */
const moment = 1000;

/**
 * Knative's channel-based broker sends an event once to its ingress, once on to its channel, once from there to its
 * filter for each Trigger, and once to each function whose Trigger lets it pass.
 */
const requestsFor = (triggers: number, deliveries: number): number => 2 + triggers + deliveries;

/**
 * Opens the plane of the default install, or of the folders of YAML that are given. Functions answer 204 and do
 * nothing.
 */
export async function openPlane(folders: readonly string[]): Promise<Plane> {
  const clock = virtualClock();
  const random = seededRandom(1);
  const cluster = virtualServer(clock, random);
  const { admin, transport } = cluster;
  const ended = new AbortController();
  const objects = readManifests(folders).map(({ object }) => object);
  const triggers = new Map<string, number>();
  for (const { kind, spec } of objects) {
    const { broker = "" } = (spec ?? {}) as { broker?: string };
    if (kind === "Trigger") triggers.set(broker, (triggers.get(broker) ?? 0) + 1);
  }

  let events = 0;
  let requests = 0;
  let wakes = new Map<string, number>();
  function count(hop: Hop): void {
    if (!("event" in hop)) return;
    if (hop.hop === "emitted") {
      events++;
      requests += requestsFor(triggers.get(hop.to.split("/").at(-1) ?? "") ?? 0, 0);
    }
    if (hop.hop !== "matched") return;
    requests++;
    const service = new URL(hop.to).hostname.split(".")[0] ?? "";
    wakes.set(service, (wakes.get(service) ?? 0) + 1);
  }

  const eventing = createEventing({
    tools: {
      client: admin,
      transport,
      clock,
      random,
      signal: ended.signal,
      server,
      send: async () => ({ status: 204, headers: {}, body: "" }),
      trace: count,
    },
    ingress,
    resolve: ({ namespace = "default", name }) => `http://${name}.${namespace}.svc.cluster.local`,
  });
  // What the server loads when it is first asked for takes real time, of which a virtual clock knows nothing.
  await admin.request("GET", "/apis");
  // What comes by the clock is no cost of a change.
  eventing.declare(objects.filter(({ kind }) => kind !== "PingSource"));
  await cluster.eventually("the sources watch", () => sourcesWatch(eventing, objects));

  return {
    admin,
    triggers,
    functions: objects.flatMap(({ kind, apiVersion, metadata }) =>
      kind === "Service" && apiVersion.startsWith("serving.knative.dev/") ? [metadata.name] : [],
    ),
    async measure(deed) {
      events = 0;
      requests = 0;
      wakes = new Map();
      await deed();
      await clock.advance(moment);
      return { events, requests, wakes };
    },
    async stop() {
      ended.abort(new Error("The plane is closed."));
      await cluster.stop();
    },
  };
}

/** Bytes of one request that carries a change, head and body; each request of the event's way carries all of it. */
export function requestBytes(change: WatchedChange, object: KubernetesObject): number {
  const { attributes, body } = changeEvent(change, object, "Resource", server);
  const id = "2f2e6a3a-6f1e-4c39-9a52-3e5a0a4d6b11";
  const { headers } = toBinary({ attributes: { ...attributes, id, time: "2026-01-01T00:00:00.000000000Z" }, body });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(body);
  return Buffer.byteLength(`POST / HTTP/1.1\r\n${lines.join("")}content-length: ${length}\r\n\r\n`) + length;
}
