import { customResourceDefinition } from "../../build/manifests/crd/definition.ts";
import { seededRandom } from "../../eventing/random.ts";
import {
  Cluster,
  DaemonSet,
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  Machine,
} from "../../functions/satellite/lib/kinds.ts";
import { linstor as linstorSystem } from "../../functions/satellite/lib/linstor/system.ts";
import { customKinds } from "../../functions/satellite/lib/schema/custom-kinds.ts";
import { csiDriver } from "../../functions/satellite/lib/volumes.ts";
import { forbidden } from "../../local/apiserver/failure.ts";
import { encodeFailure } from "../../local/apiserver/representation/encode.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { StatusError } from "../../local/apiserver/status-error.ts";
import { definitions, GenericMachine, infrastructureRef } from "../../local/cluster-api/kinds.ts";
import { startMachines } from "../../local/cluster-api/start-machines.ts";
import { createControllerTools } from "../../local/controllers/controller-tools.ts";
import { followEverything } from "../../local/controllers/discovery/everything.ts";
import { startGarbageCollector } from "../../local/controllers/garbage-collector/start-garbage-collector.ts";
import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import { createLinstor, type LinstorStandIn } from "../../local/linstor/linstor.ts";
import { startAffinityController } from "../../local/piraeus/start-affinity-controller.ts";
import { startVolumeUsers } from "../../local/piraeus/start-volume-users.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { type VirtualClock, virtualClock } from "../../local/time/testing/virtual-clock.ts";
import type { Clock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, Namespace, Node, PersistentVolume, Pod, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { parseLabelSelector } from "../../shared/kubernetes/parse-label-selector.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { Log } from "../../shared/log.ts";
import { receive } from "../../shared/pipeline/receive.ts";
import { readProgress } from "../../shared/progress.ts";
import { awayNameOf, type Rule, slug } from "../../shared/rule.ts";
import { readSettings } from "../../shared/settings.ts";
import type { Connect } from "../../shared/system/connect.ts";
import { readOnlyTransport } from "../../shared/system/read-only.ts";
import type { SystemRequest, SystemResponse, SystemTransport } from "../../shared/system/transport.ts";
import { type AccountRequest, recordRequests } from "../harness/account-request.ts";
import { persistentVolume, reachedFrom } from "../harness/manifest.ts";
import { setStatus } from "../harness/set-status.ts";
import { rules } from "./rules.ts";

/**
 * One satellite's node among four, with all that an evacuation has to do with, on one virtual clock in this process.
 */
export interface SatelliteHarness {
  readonly client: Client;
  /** The same without the client. */
  readonly transport: Transport;
  /** LINSTOR for people who only ask, as rules reach it; what they ask is not recorded. */
  readonly systems: Connect;
  readonly clock: VirtualClock;
  /** The satellites' own, at LINSTOR_URL or where `external` says. */
  readonly linstor: LinstorStandIn;
  /** Another LINSTOR, at this root from now on; satellites that are started connect with it, too. */
  another(root: string): LinstorStandIn;
  /** Has `linstor` answer at this root, too. */
  reach(root: string): void;
  /** What rules have asked and called, by the root where they have: `GET /v1/nodes`. */
  readonly asked: ReadonlyMap<string, readonly string[]>;
  /** What rules have asked of the API server. */
  readonly requests: readonly AccountRequest[];
  /** Lines of what the rules decided, `satellite/mark write: …`; and of every request that changed something. */
  readonly history: string[];
  /** What rules failed with for good. */
  readonly failures: string[];
  /** Evacuate calls that LINSTOR has been sent, and the most that were in flight at one time. */
  readonly calls: { evacuate: string[]; atOnce: number };
  /** The statuses of the writes that were carried out late, in the order of the answers. */
  readonly late: readonly number[];
  /** Run before and after each write of a rule, all that were given; they throw when something is wrong. */
  onWrite(checks: { before?(request: { path: string; body?: string }): Promise<void>; after?(): Promise<void> }): void;
  /** Has what rules ask of LINSTOR answered by another server, until it is called again without an argument. */
  answerLinstor(instead?: (request: SystemRequest, send: SystemTransport) => Promise<SystemResponse>): void;
  /**
   * API paths that rules cannot reach, cannot or may not write to, or that answer that there is no such thing, until it
   * is called again without an argument.
   */
  cutOff(paths?: RegExp, how?: CutOff): void;
  /** From now on what happens goes to the functions of another release; what runs already runs to its end. */
  run(release: SatelliteRelease): Promise<void>;
  /** Has the clock of the rules jump: by so many milliseconds it is ahead of everybody else's, or behind. */
  setClock(ms: number): void;
  create(kind: Kind, object: { metadata: object; [field: string]: unknown }): Promise<KubernetesObject>;
  get<T extends KubernetesObject>(kind: Kind, name: string): Promise<T | undefined>;
  merge(kind: Kind, name: string, patch: object, subresource?: string): Promise<unknown>;
  delete(kind: Kind, name: string): Promise<boolean>;
  /** Waits up to half an hour of virtual time. */
  until(what: string, check: () => Promise<unknown> | unknown): Promise<void>;
  /** A volume with copies in LINSTOR, attached and in use on a node where one is given. */
  volume(
    name: string,
    copies: readonly string[],
    more?: { attached?: string; bound?: boolean; localOnly?: boolean },
  ): Promise<void>;
  machine(name: string, node: string, metadata?: object): Promise<void>;
  condition(node: string, type: string): Promise<{ status: string; reason: string; message: string } | undefined>;
  stop(): Promise<void>;
}

/** What RBAC says then. */
const cannotPatch = 'User "holdfast" cannot patch resource "machines"';
/**
 * A number: writes are denied by a webhook, with this status. `late`: writes are carried out four minutes after their
 * caller has given up.
 */
type CutOff = "unreachable" | "not found" | "read-only" | "late" | "forbidden" | 400 | 403 | 422 | 500;
/** As the API server passes on what a webhook says: without causes; and that it says nothing. */
const deniedWith = (status: number) =>
  status === 500
    ? new StatusError(status, "InternalError", 'Internal error occurred: failed calling webhook "hooks.example.com"')
    : new StatusError(status, "Denied", 'admission webhook "hooks.example.com" denied the request: not on a Friday');

/** What the rules of a release run with. */
export interface SatelliteRelease {
  readonly rules: readonly Rule[];
  readonly receive: typeof receive;
  readonly createClient: typeof createClient;
  readonly linstor: typeof linstorSystem;
}

/** The functions of this tree. */
export const present: SatelliteRelease = { rules, receive, createClient, linstor: linstorSystem };

export const nodes = ["node-1", "node-2", "node-3", "node-4"];
export const addressOf = (node: string) => `10.0.0.${node.at(-1)}`;
const namespace = "capi";
export const workloads = "piraeus-datastore";
type DaemonSetObject = KubernetesObject & { spec: { template: { metadata: object; spec: object } } };

/** `external` is where `spec.externalController` of the LinstorCluster says that LINSTOR is. */
export interface HarnessOptions {
  readonly policy?: string;
  /** What runs first. */
  readonly release?: SatelliteRelease;
  readonly external?: string;
  /** Settings of the rules, as a function's environment has them. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Where the rules of the harness look for a LINSTOR that no LinstorCluster names. */
export const { linstorUrl } = linstorSystem.settings.parse({});

export async function openSatelliteHarness({
  policy = "Evacuate",
  external,
  release = present,
  environment = {},
}: HarnessOptions = {}): Promise<SatelliteHarness> {
  const clock = virtualClock();
  const random = seededRandom(5);
  const server = createApiServer({ clock, random });
  const client = createClient(server.handle, { clock });
  const ended = new AbortController();
  const linstor = createLinstor({ clock, random, syncTime: 20_000 });
  const history: string[] = [];
  const failures: string[] = [];
  const broken: Error[] = [];
  const asked = new Map<string, string[]>();
  const requests: AccountRequest[] = [];
  const roots = new Set([external ?? linstorUrl]);
  const others = new Map<string, LinstorStandIn>();
  const calls: SatelliteHarness["calls"] = { evacuate: [], atOnce: 0 };
  const late: number[] = [];
  const checks: Parameters<SatelliteHarness["onWrite"]>[0][] = [];
  let answered: Parameters<SatelliteHarness["answerLinstor"]>[0];
  /** Addresses of satellites, by their DaemonSet's uid. */
  const running = new Map<string, string>();
  let ahead = 0;
  let unreachable: RegExp | undefined;
  let cutHow: CutOff = "unreachable";

  const scope = (kind: Kind) => (kind.namespaced ? namespace : undefined);
  const until: SatelliteHarness["until"] = async (what, done) => {
    const came = await clock.runUntil(async () => broken.length > 0 || Boolean(await done()), 1_800_000);
    if (broken[0]) throw broken[0];
    if (!came) throw new Error(`Did not come true: ${what}.\n${history.slice(-25).join("\n")}`);
  };
  const reachable = (root: string) => (roots.has(root) ? linstor : others.get(root))?.transport;
  const readFrom = (root: string) => {
    const send: SystemTransport = (request) =>
      reachable(root)?.(request) ?? Promise.reject(new Error(`nothing listens at ${root}`));
    return readOnlyTransport(linstorSystem, (request) => (answered ? answered(request, send) : send(request)));
  };
  const harness: SatelliteHarness = {
    client,
    transport: server.handle,
    systems: <Client>() =>
      linstorSystem.connect({
        transport: readFrom(linstorUrl),
        transportTo: readFrom,
        clock,
        settings: linstorSystem.settings.parse({ linstorAllowHttp: "in-cluster" }),
        credential: async () => undefined,
      }) as Client,
    clock,
    linstor,
    another(root) {
      const made = createLinstor({ clock, random, syncTime: 20_000 });
      others.set(root, made);
      for (const address of running.values()) made.startSatellite(address);
      return made;
    },
    reach: (root) => void roots.add(root),
    asked,
    requests,
    history,
    failures,
    calls,
    late,
    onWrite: (given) => {
      checks.push(given);
    },
    answerLinstor: (instead) => {
      answered = instead;
    },
    cutOff: (paths, how = "unreachable") => {
      unreachable = paths;
      cutHow = how;
    },
    run: () => Promise.reject(new Error("The rules have not been started.")),
    setClock: (ms) => {
      ahead = ms;
    },
    create: (kind, object) =>
      client.create(kind, {
        ...object,
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: { ...object.metadata, ...(kind.namespaced ? { namespace } : {}) },
      } as KubernetesObject),
    get: (kind, name) => client.get(kind, scope(kind), name),
    merge: (kind, name, patch, subresource) =>
      client.patch(kind, scope(kind), name, "merge", patch, subresource ? { subresource } : {}),
    delete: (kind, name) => client.delete(kind, scope(kind), name),
    until,
    async volume(name, copies, { attached, bound, localOnly } = {}) {
      linstor.addVolume(name, { copies });
      const attributes = {
        "linstor.csi.linbit.com/uses-volume-context": "true",
        "linstor.csi.linbit.com/remote-access-policy": String(!localOnly),
      };
      const spec = {
        claimRef: { namespace: "default", name },
        csi: { driver: csiDriver, volumeHandle: name, volumeAttributes: attributes },
        ...(bound ? { nodeAffinity: reachedFrom([attached], "linbit.com/hostname") } : {}),
      };
      await harness.create(PersistentVolume, persistentVolume({ name }, spec));
      if (!attached) return;
      await users.attach(name, attached);
    },
    async machine(name, node, metadata = {}) {
      await harness.create(GenericMachine, { metadata: { name }, spec: {} });
      await harness.create(Machine, {
        metadata: { name, ...metadata },
        spec: { clusterName: "test", providerID: `generic:///${node}`, infrastructureRef: infrastructureRef(name) },
      });
      await until(`${name} runs`, async () => {
        const machine = await harness.get<KubernetesObject & { status?: { nodeRef?: object } }>(Machine, name);
        return machine?.status?.nodeRef;
      });
    },
    async condition(node, type) {
      const satellite = await harness.get<KubernetesObject & { status?: { conditions?: never[] } }>(
        LinstorSatellite,
        node,
      );
      return (satellite?.status?.conditions as { type: string }[] | undefined)?.find(
        (one) => one.type === type,
      ) as never;
    },
    async stop() {
      ended.abort();
      server.close();
    },
  };

  await client.request("GET", "/apis");
  for (const definition of [...definitions, ...customKinds.map(customResourceDefinition)])
    await harness.create(CustomResourceDefinition, definition);
  for (const name of [namespace, workloads, "holdfast"]) await harness.create(Namespace, { metadata: { name } });

  const tools = createControllerTools({
    transport: server.handle,
    clock,
    random,
    signal: ended.signal,
    trouble: () => {},
  });
  await harness.create(Cluster, { metadata: { name: "test" }, spec: {} });
  const clusterSpec = external ? { externalController: { url: external } } : {};
  await harness.create(LinstorCluster, { metadata: { name: "linstorcluster" }, spec: clusterSpec });
  const spec = { storagePools: [{ name: "pool1", fileThinPool: { directory: "/srv/pool" } }] };
  await harness.create(LinstorSatelliteConfiguration, {
    metadata: { name: "000-harness" },
    spec: { ...spec, ...(policy === "none" ? {} : { deletionPolicy: policy }) },
  });
  void startMachines(tools).synced;
  const users = startVolumeUsers(tools, linstor);
  startAffinityController(tools);
  const everything = followEverything(tools);
  void startGarbageCollector({ ...tools, everything }).synced;
  startDaemonSets();
  await startRules();

  for (const name of nodes) {
    await harness.create(Node, {
      metadata: { name, labels: { "linbit.com/hostname": name } },
      spec: { providerID: `generic:///${name}` },
    });
  }
  await until("all are configured", async () => {
    const reports = await Promise.all(nodes.map((name) => harness.condition(name, "Configured")));
    return reports.every((one) => one?.status === "True");
  });
  return harness;

  /**
   * The kubelet and the controller of DaemonSets, as far as satellites go: a pod on its Node, and a satellite at its
   * address.
   */
  function startDaemonSets(): void {
    const { apiVersion, kind } = Pod;
    const nodeOf = ({ metadata: { name } }: KubernetesObject) => name.replace("linstor-satellite.", "");
    tools.reflections.of<DaemonSetObject>(DaemonSet).on((change, set) => {
      const node = nodeOf(set);
      if (change === "delete") void stopPod(node);
      else void startPod(node, set).catch(() => {});
    });
    async function startPod(node: string, { metadata: { name, uid }, spec }: DaemonSetObject): Promise<void> {
      if (running.has(uid) || ended.signal.aborted || !(await harness.get(Node, node))) return;
      running.set(uid, addressOf(node));
      const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name, uid, controller: true }];
      const metadata = { ...spec.template.metadata, name: `satellite-${node}`, namespace: workloads, ownerReferences };
      const pod = { apiVersion, kind, metadata, spec: { ...spec.template.spec, nodeName: node } };
      await client.create(Pod, pod as unknown as KubernetesObject);
      const status = { phase: "Running", podIP: addressOf(node), podIPs: [{ ip: addressOf(node) }] };
      await setStatus(client, Pod, workloads, metadata.name, status);
      for (const one of [linstor, ...others.values()]) one.startSatellite(addressOf(node));
      await setStatus(client, DaemonSet, workloads, name, { numberReady: 1 });
    }
    async function stopPod(node: string): Promise<void> {
      for (const one of [linstor, ...others.values()]) one.stopSatellite(addressOf(node));
      for (const [uid, address] of running) if (address === addressOf(node)) running.delete(uid);
      await client.delete(Pod, workloads, `satellite-${node}`, { gracePeriodSeconds: 0 });
    }
  }

  async function startRules(): Promise<void> {
    const log: Log = {
      debug: () => {},
      info: (fields, sentence) => history.push(lineOf(fields, sentence)),
      warn: (fields, sentence) => history.push(lineOf(fields, sentence)),
      error: (fields, sentence) => history.push(`FAILED ${lineOf(fields, sentence)}`),
    };
    let inFlight = 0;
    const linstorTransport: SystemTransport = (request) =>
      answered ? answered(request, countedTransport) : countedTransport(request);
    const countedTransport: SystemTransport = async (request) => {
      const evacuated = /^\/v1\/nodes\/([^/]+)\/evacuate$/.exec(request.path)?.[1];
      if (!evacuated) return linstor.transport(request);
      calls.evacuate.push(evacuated);
      calls.atOnce = Math.max(calls.atOnce, ++inFlight);
      return linstor.transport(request).finally(() => {
        inFlight--;
      });
    };
    const transportTo =
      (root: string): SystemTransport =>
      (request) => {
        asked.set(root, [...(asked.get(root) ?? []), `${request.method} ${request.path.split("?")[0]}`]);
        if (roots.has(root)) return linstorTransport(request);
        return others.get(root)?.transport(request) ?? Promise.reject(new Error(`nothing listens at ${root}`));
      };
    const credential = async () => undefined;
    const hosts = "linstor.example.com,other.example.com,nobody";
    const variables = { LINSTOR_HOSTS: hosts, LINSTOR_ALLOW_HTTP: "in-cluster", ...environment };
    const settings = readSettings(linstorSystem.settings, variables);
    const ruleClock: Clock = {
      now: () => clock.now() + ahead,
      after: (ms, run) => clock.after(ms, run),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
    const connection = { transport: transportTo(linstorUrl), transportTo, clock: ruleClock, settings, credential };
    const wrong = (error: Error) => {
      broken.push(error);
      failures.push(error.message);
    };
    const transport: Transport = async (request) => {
      const isRead = request.method === "GET";
      if (unreachable?.test(request.path) && !(isRead && !["unreachable", "not found"].includes(String(cutHow)))) {
        if (cutHow === "not found") return server.handle({ ...request, path: "/apis/absent.example.com" });
        if (cutHow === "forbidden") return encodeFailure(forbidden(Machine, "worker", cannotPatch));
        if (cutHow === "late")
          clock.after(240_000, async () => {
            late.push((await server.handle(request)).status);
          });
        if (typeof cutHow === "number") return encodeFailure(deniedWith(cutHow));
        throw new Error("connect ETIMEDOUT");
      }
      if (request.method === "GET") return server.handle(request);
      for (const { before } of checks) await before?.(request).catch(wrong);
      const response = await server.handle(request);
      if (response.status < 300) {
        history.push(`  ${request.method} ${request.path}`);
        for (const { after } of checks) await after?.().catch(wrong);
      }
      return response;
    };
    const transportOf = (rule: Rule) => recordRequests(slug(rule.name), transport, (one) => requests.push(one));
    let running: readonly Rule[] = [];
    const handlers = new Map<string, ReturnType<typeof receive>>();
    function startRelease({ rules, receive, createClient, linstor }: SatelliteRelease): void {
      const linstorClient = linstor.connect(connection);
      handlers.clear();
      for (const rule of rules) {
        const client = createClient(transportOf(rule), { clock: ruleClock });
        const tools = {
          client: () => client,
          connect: () => linstorClient as never,
          clock: ruleClock,
          log,
          settings: readSettings(rule.settings, variables),
        };
        handlers.set(rule.name, receive(rule, tools as never));
      }
      running = rules;
    }
    let ids = 0;
    async function deliver(rule: Rule, type: string, kind: Kind, object: KubernetesObject, attempt = 1): Promise<void> {
      if (ended.signal.aborted) return;
      const { name, namespace = "" } = object.metadata;
      const sweep = type === "dev.holdfast.sweep";
      const headers = {
        "ce-specversion": "1.0",
        "ce-id": `e${++ids}`,
        "ce-source": "https://10.96.0.1:443",
        "ce-type": type,
        "ce-subject": pathOf(kind, namespace, name),
        "ce-apiversion": kind.apiVersion,
        "ce-kind": kind.kind,
        "ce-name": name,
        "ce-namespace": namespace,
        ...(sweep ? {} : { "content-type": "application/json" }),
      };
      const reply = await handlers.get(rule.name)?.({ headers, body: sweep ? "" : JSON.stringify(object) });
      if (!reply || reply.status === 204) return;
      history.push(`  ${rule.name} replied ${reply.status} ${reply.body}`);
      if (reply.status !== 503 || attempt > 30) failures.push(`${rule.name}: ${reply.status} ${reply.body}`);
      else clock.after(attempt * 1_000, () => void deliver(rule, type, kind, object, attempt + 1));
    }
    const watched = new Set<string>();
    harness.run = async (release) => {
      startRelease(release);
      // Of Cluster API there is the newest version, as an admin installs the overlay of one.
      const triggers = running.flatMap(({ triggers }) => triggers);
      const wanted = triggers.filter(({ overlay }) => overlay !== "cluster-api-v1beta1").map(({ kind }) => kind);
      for (const kind of new Map(wanted.map((kind) => [kind.plural, kind])).values()) {
        if (watched.has(kind.plural)) continue;
        watched.add(kind.plural);
        const reflection = tools.reflections.of(kind);
        reflection.on((change, object) => {
          for (const rule of running)
            if (
              rule.triggers.some(({ kind: { plural }, changes }) => plural === kind.plural && changes.includes(change))
            )
              void deliver(rule, `dev.knative.apiserver.resource.${change}`, kind, object);
        });
        await outcomeOf(clock, reflection.synced, 60_000);
      }
    };
    await harness.run(release);
    // The sweep looks after what is due, each minute after what is labelled for it, and every five minutes after what
    // is being deleted, with any note.
    let ticks = 0;
    const sweep = async () => {
      const isFifthMinute = ticks % 30 === 29;
      const isMinute = ticks++ % 6 === 5;
      for await (const satellite of client.list(LinstorSatellite))
        for (const rule of running) {
          const isDue = [rule.name, awayNameOf(rule)].some((name) => {
            const { next } = readProgress(satellite, name) ?? {};
            return next !== undefined && Date.parse(next) <= clock.now();
          });
          const isLabelled = rule.sweep?.some(
            ({ kind, labelSelector }) =>
              kind.plural === LinstorSatellite.plural &&
              labelSelector !== undefined &&
              parseLabelSelector(labelSelector)(satellite.metadata.labels ?? {}),
          );
          const isSwept = rule.sweep?.some(
            ({ kind, when }) => kind.plural === LinstorSatellite.plural && when && "deletingWith" in when,
          );
          if (isDue || (isMinute && isLabelled) || (isFifthMinute && isSwept && satellite.metadata.deletionTimestamp))
            void deliver(rule, "dev.holdfast.sweep", LinstorSatellite, satellite);
        }
    };
    const tick = () => {
      if (ended.signal.aborted) return;
      void sweep().finally(() => clock.after(10_000, tick));
    };
    tick();
  }
}

function lineOf(fields: object, sentence: string): string {
  const { rule, decision } = fields as { rule?: string; decision?: string };
  return `${rule} ${decision ?? ""}: ${sentence}`;
}
