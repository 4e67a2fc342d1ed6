import { join } from "node:path";
import { createEventing } from "../../eventing/control/eventing.ts";
import { sourcesWatch } from "../../eventing/control/sources-watch.ts";
import { isEventing } from "../../eventing/manifest/read-plan.ts";
import { seededRandom } from "../../eventing/random.ts";
import { readManifests } from "../../eventing/read-manifests.ts";
import type { Send } from "../../eventing/send.ts";
import { policyKey } from "../../functions/pvc-retention/lib/policy.ts";
import { usualHeartbeat } from "../../local/controllers/kubelet/start-kubelet.ts";
import { startControllers } from "../../local/controllers/start-controllers.ts";
import { type Plan, readService } from "../../local/serving/plan.ts";
import { createFunctionPods } from "../../local/serving/pods.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { PersistentVolumeClaim, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { advanceUntilSettled } from "../../test/harness/advance-until-settled.ts";
import { furnish, kubeletNode } from "../../test/harness/cluster-objects.ts";
import { functions, type Handler } from "../../test/harness/functions.ts";
import { install } from "../../test/harness/installation.ts";
import { claim, statefulSet } from "../../test/harness/manifest.ts";
import type { Server } from "../../test/harness/server.ts";
import { virtualServer } from "../../test/harness/virtual-server.ts";
import { root } from "../../test/manifests/kustomization.ts";
import { type Life, scaledFunction } from "./scaled-function.ts";
import type { RestingSystem } from "./systems.ts";

/** What an installation has done and cost while nothing changed. */
export interface Rest {
  /** How often each function came from zero, by its Service; those that did not are not in it. */
  readonly wakes: ReadonlyMap<string, number>;
  /** Seconds that pods of functions were there. */
  readonly podSeconds: number;
  /** Events that sources of changes sent. */
  readonly events: number;
}

/** What is installed, the default as it is where nothing is said. */
export interface RestingOptions {
  /** What an administrator's overlay makes of an object. */
  readonly edit?: (object: KubernetesObject) => KubernetesObject;
  /** An optional system beside the default. */
  readonly system?: RestingSystem;
  /** What is there besides. Resolves when there is nothing left to do. */
  readonly populate?: (server: Server) => Promise<void>;
}

/** A cluster with the default install and workloads on it, on virtual time. */
export interface RestingCluster {
  /** Lets time pass, and returns what it cost. Milliseconds. */
  rest(ms: number): Promise<Rest>;
  stop(): Promise<void>;
}

const ingress = "http://broker-ingress.knative-eventing.svc.cluster.local";
const sets = 5;
const claims = 40;

/**
 * Opens a cluster in which everything is as `knative/` says, unless `edit` changes it: its functions come from zero and
 * go back, with pods of their own, and its sweep is triggered by its PingSource. Resolves when all that was new has
 * been looked at.
 */
export async function openRestingCluster({
  edit = (object) => object,
  system,
  populate,
}: RestingOptions = {}): Promise<RestingCluster> {
  const clock = virtualClock();
  const random = seededRandom(1);
  const server = virtualServer(clock, random);
  const { admin, transport } = server;
  await admin.request("GET", "/apis");
  await furnish(admin);
  const ended = new AbortController();
  const { signal } = ended;
  const controllers = startControllers({
    transport,
    clock,
    random,
    signal,
    controllers: ["*"],
    kubelet: { nodes: [kubeletNode, ...(system?.nodes ?? [])], heartbeat: usualHeartbeat },
  });
  await advanceUntilSettled(server, "the controllers start", controllers.synced);

  const begun = system?.begin(clock);
  const paths = [".", ...(system?.components ?? [])].map((path) => join(root, "knative", path));
  const objects = readManifests(paths).map(({ object }) => edit(system?.edit?.(object) ?? object));
  const isService = ({ apiVersion }: KubernetesObject) => apiVersion.startsWith("serving.knative.dev/");
  await install(
    admin,
    objects.filter((object) => !isEventing(object) && !isService(object)),
  );

  const pods = createFunctionPods({
    client: admin,
    random,
    failed: (pod, error) => {
      throw new Error(`${pod} could not be created or deleted.`, { cause: error });
    },
  });
  const lives = new Map<string, Life>();
  const handlers = new Map<string, Handler>();
  let events = 0;
  const send: Send = async (url, request) => {
    const handle = handlers.get(new URL(url).hostname.split(".")[0] ?? "");
    if (!handle) throw new Error(`No function listens at ${url}.`);
    return handle(request);
  };
  const eventing = createEventing({
    tools: {
      client: admin,
      transport,
      clock,
      random,
      signal,
      send,
      server: "https://10.96.0.1:443",
      trace: (hop) => {
        if (hop.hop === "emitted" && hop.by.startsWith("ApiServerSource")) events++;
      },
    },
    ingress,
    resolve: ({ kind, namespace = "default", name }) =>
      kind === "Service" ? `http://${name}.${namespace}.svc.cluster.local` : undefined,
  });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  function starterOf({ image, namespace, environment }: Plan): () => Handler {
    const start = functions[image.replace("fn://", "")];
    if (!start) throw new Error(`No function of the repository is called ${image}.`);
    const settings = { ...environment, NAMESPACE: namespace };
    const connect = begun ? { connect: begun.connect } : {};
    const tools = { client: () => admin, clock, log: silent, environment: settings, id: random.uuid, ...connect };
    return () => start({ ...tools, post: (...request) => eventing.send(...request) });
  }
  for (const plan of objects.filter(isService).map((object) => readService(object).plan)) {
    const life = { wakes: 0, pods: 0 };
    lives.set(plan.service, life);
    handlers.set(plan.service, scaledFunction(plan, starterOf(plan), { clock, pods }, life));
  }
  const eventingObjects = objects.filter(isEventing);
  eventing.declare(eventingObjects);
  await server.eventually("the sources watch", () => sourcesWatch(eventing, eventingObjects));

  const namespace = "default";
  for (let index = 0; index < claims; index++)
    await admin.create(PersistentVolumeClaim, claim({ namespace, name: `data-${index}` }));
  for (let index = 0; index < sets; index++) {
    const annotations = index % 2 === 0 ? { [policyKey]: "DeleteOnScaledownOnly" } : {};
    await admin.create(StatefulSet, statefulSet({ namespace, name: `web-${index}`, annotations }, { replicas: 2 }));
  }
  await begun?.populate(server);
  await populate?.(server);
  // The first tick has come, and everybody has gone back to zero.
  await clock.advance(15 * 60_000);

  return {
    async rest(ms) {
      events = 0;
      for (const life of lives.values()) Object.assign(life, { wakes: 0, pods: 0 });
      await clock.advance(ms);
      const woken = [...lives].filter(([, { wakes }]) => wakes > 0);
      return {
        wakes: new Map(woken.map(([name, { wakes }]) => [name, wakes])),
        podSeconds: [...lives.values()].reduce((sum, { pods }) => sum + pods, 0) / 1000,
        events,
      };
    },
    async stop() {
      ended.abort(new Error("The cluster is closed."));
      await server.stop();
    },
  };
}
