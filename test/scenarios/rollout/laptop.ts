import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seededRandom } from "../../../eventing/random.ts";
import { readManifests } from "../../../eventing/read-manifests.ts";
import type { Hop } from "../../../eventing/trace.ts";
import { serveHttp } from "../../../local/apiserver/http.ts";
import { createApiServer } from "../../../local/apiserver/server.ts";
import { create } from "../../../local/cluster/install.ts";
import type { ControllerTools } from "../../../local/controllers/controller.ts";
import { createControllerTools } from "../../../local/controllers/controller-tools.ts";
import { usualHeartbeat } from "../../../local/controllers/kubelet/start-kubelet.ts";
import { startControllers } from "../../../local/controllers/start-controllers.ts";
import { eventingDefinitions } from "../../../local/knative/definitions.ts";
import { serviceDefinition } from "../../../local/serving/definition.ts";
import { type Credentials, issueCredentials } from "../../../local/start/credentials.ts";
import { startKnative } from "../../../local/start/knative.ts";
import { becomeReady } from "../../../local/start/ready.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../../shared/kubernetes/transport.ts";
import { furnish, kubeletNode } from "../../harness/cluster-objects.ts";
import { type LeapingClock, leapingClock } from "./clock.ts";
import { bundleRelease, type Release } from "./versions.ts";

/** A change that a function has made. */
export interface Made {
  /** The function's Service. */
  readonly by: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Where requests of a function wait. */
export interface Gate {
  /** Whether any request has come. */
  isAwaited(): boolean;
  /** Lets all through from now on. */
  open(): void;
}

/** The laptop edition in this process, with the repository's YAML, and with functions as processes of real bundles. */
export interface Laptop {
  readonly admin: Client;
  readonly clock: LeapingClock;
  /** What functions have changed, oldest first. */
  readonly made: readonly Made[];
  /** Where events have been. */
  readonly hops: readonly Hop[];
  /** What functions have logged. */
  readonly said: readonly Readonly<Record<string, unknown>>[];
  /** Holds a function's requests back whose path matches. */
  hold(by: string, path: RegExp): Gate;
  /** What the manifests have of a function, by the name of its Service: that Service, and its Triggers. */
  manifestsOf(service: string): readonly KubernetesObject[];
  /** One tick of the sweep. */
  sweep(): Promise<void>;
  /** Waits until every function is at zero, and puts the clock forward. */
  leap(ms: number): Promise<void>;
  stop(): Promise<void>;
}

const manifests = fileURLToPath(new URL("../../../knative", import.meta.url));
const administrator = { user: "admin", groups: ["system:masters"] };
const token = "admin";
/** Nodes and their leases would notice that the clock leaps, and what they do then is no part of these scenarios. */
const controllers = [
  "garbage-collector-controller",
  "kube-scheduler",
  "kubelet",
  "persistentvolume-binder-controller",
  "persistentvolumeclaim-protection-controller",
  "serviceaccount-controller",
  "statefulset-controller",
];

/** Bundling takes its time; what no scenario triggers is left out. */
const installed = ["platform/dead-letter", "platform/sweep", "pvc-protection/release"];

/**
 * Of the functions those that are installed; of what is no function's, the sweep tables of systems among them, all but
 * the schedule: scenarios sweep when they want to.
 */
function isInstalled({ kind, metadata }: KubernetesObject): boolean {
  const { "app.kubernetes.io/name": system, "app.kubernetes.io/component": rule } = metadata.labels ?? {};
  const isNoFunction = system === undefined || kind === "ConfigMap";
  return kind !== "PingSource" && (isNoFunction || installed.includes(`${system}/${rule}`));
}

export async function openLaptop(): Promise<Laptop> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-rollout-"));
  const ended = new AbortController();
  const { signal } = ended;
  const clock = leapingClock(folder);
  const random = seededRandom(1);
  const made: Made[] = [];
  const hops: Hop[] = [];
  const said: Record<string, unknown>[] = [];
  const gates = new Set<{ by: string; path: RegExp; awaited: boolean; opened: Promise<void> }>();

  async function intercept(request: ApiRequest, next: Transport): Promise<ApiResponse> {
    const by = accountOf(request);
    for (const gate of gates) {
      if (gate.by !== by || !gate.path.test(request.path)) continue;
      gate.awaited = true;
      await gate.opened;
    }
    const response = await next(request);
    if (by && request.method !== "GET" && response.status < 300)
      made.push({ by, method: request.method, path: request.path, body: request.body ?? "" });
    return response;
  }
  const server = createApiServer({ clock, random, rbac: true, tokens: { [token]: administrator } });
  const guarded = { ...server, handle: (request: ApiRequest) => intercept(request, server.handle) };
  const transport: Transport = (request) =>
    guarded.handle({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
  const http = await serveHttp(guarded);

  const tools: ControllerTools = createControllerTools({ transport, clock, random, signal });
  const { client: admin } = tools;
  await create(admin, [...eventingDefinitions, serviceDefinition] as unknown as KubernetesObject[]);
  await furnish(admin);
  const running = startControllers({
    transport,
    clock,
    random,
    signal,
    controllers,
    kubelet: { nodes: [kubeletNode], heartbeat: usualHeartbeat },
  });

  const cluster = { server: http.url, "insecure-skip-tls-verify": true };
  const accounts = new Map<string, [string, string]>();
  const issue = () => issueCredentials({ client: admin, clock, signal }, cluster, folder);
  let credentials: Credentials = issue();
  const bundles = new Map<string, Promise<string>>();
  const bundle = (image: string) => {
    const [name = "", release = "now"] = image.replace("fn://", "").split("@");
    const known = bundles.get(image) ?? bundleRelease(name, release as Release, folder);
    bundles.set(image, known);
    return known;
  };

  const objects = readManifests([manifests]).flatMap(({ object }) => (isInstalled(object) ? [object] : []));
  await Promise.all(installed.map((rule) => bundle(`fn://${rule}`)));
  await create(admin, objects);
  const knative = await startKnative({
    tools,
    server: http.url,
    credentials: {
      kubeconfigFor(namespace, name) {
        accounts.set(`${namespace}/${name}`, [namespace, name]);
        return credentials.kubeconfigFor(namespace, name);
      },
    },
    bundles: {
      async launch({ image, environment }, _, identity) {
        const args = [...clock.args, await bundle(image)];
        return { command: process.execPath, args, cwd: folder, environment: { ...identity, ...environment } };
      },
    },
    activity: {
      onEvent: () => {},
      onRecord: (_, record) => void said.push(record),
      onHop: (hop) => void hops.push(hop),
      onTrouble: () => {},
    },
    window: 1000,
  });
  await becomeReady(admin, clock, signal);

  return {
    admin,
    clock,
    made,
    hops,
    said,
    hold(by, path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const gate = { by, path, awaited: false, opened: promise };
      gates.add(gate);
      return {
        isAwaited: () => gate.awaited,
        open() {
          gates.delete(gate);
          resolve();
        },
      };
    },
    manifestsOf: (service) =>
      objects.filter(
        ({ kind, metadata }) =>
          (kind === "Service" && metadata.name === service) ||
          (kind === "Trigger" && metadata.name.startsWith(`${service}-`)),
      ),
    async sweep() {
      const url = "http://platform-sweep.holdfast.svc.cluster.local/";
      const { status, body } = await knative.send(url, { headers: {}, body: "" });
      if (status !== 204) throw new Error(`The sweep failed with ${status}: ${body}`);
    },
    async leap(ms) {
      while (knative.processes() > 0) await clock.sleep(50);
      clock.leap(ms);
      // Their tokens have run out.
      credentials = issue();
      for (const [namespace, name] of accounts.values()) await credentials.kubeconfigFor(namespace, name);
    },
    async stop() {
      await knative.close();
      ended.abort(new Error("The scenarios have run."));
      await running.stopped;
      await http.close();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The service account that a request comes from, if it comes from one. */
function accountOf({ headers }: ApiRequest): string | undefined {
  const claims = /^Bearer [^.]+\.([^.]+)\./.exec(headers.authorization ?? "")?.[1];
  if (claims === undefined) return undefined;
  const { sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { sub: string };
  return sub.split(":").at(-1);
}
