import type { EventingOptions } from "../../eventing/control/eventing.ts";
import type { Random } from "../../eventing/random.ts";
import type { Send } from "../../eventing/send.ts";
import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import { crashingDispatcher } from "../../local/knative/crashing-dispatcher.ts";
import type { Plan } from "../../local/serving/plan.ts";
import { systemClock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import { fatedPost } from "../faults/fates.ts";
import { type Asked, observed } from "./asked.ts";
import type { WhenOver } from "./bench.ts";
import { definitionsGo } from "./definitions-go.ts";
import { withKnative, withoutKnative } from "./eventing.ts";
import { functions, type Handler } from "./functions.ts";
import { handRequest } from "./hand.ts";
import { type Installation, install, readInstallation } from "./installation.ts";
import { claim } from "./manifest.ts";
import { createRecorder } from "./recorder.ts";
import { rightsInForce } from "./rights-in-force.ts";
import type { Bench, Server } from "./server.ts";
import { tokenOf } from "./service-account.ts";
import { timePasses } from "./time-passes.ts";
import { createUnderWay } from "./under-way.ts";
import type { Setting, World, WorldRelease } from "./world.ts";

/** Holdfast on a server: everything of it that outlives one scenario. */
export interface Harness {
  /** The harness as one scenario sees it. `rest` is how time is spent on this server. */
  world(bench: Bench, rest: () => Promise<void>, whenOver: WhenOver): World;
  /** Stops it and takes off the server what was put there. */
  stop(): Promise<void>;
}

const MutatingAdmissionPolicy: Kind = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingAdmissionPolicy",
  plural: "mutatingadmissionpolicies",
  namespaced: false,
};

const ingress = "http://broker-ingress.knative-eventing.svc.cluster.local";

/**
 * Installs Holdfast from `knative/` on a server, and runs sources, brokers and functions in this process, each source
 * and each function under its own service account.
 */
export async function startHarness(server: Server, random: Random, setting: Setting): Promise<Harness> {
  const { admin, transport, clock } = server;
  const ended = new AbortController();
  const installation = readInstallation(setting);
  const uninstall = await install(admin, installation.objects);
  const definitions = installation.objects
    .filter(({ kind }) => kind === CustomResourceDefinition.kind)
    .map(({ metadata }) => metadata.name);
  const policy = installation.objects.find(
    ({ kind, metadata }) => kind === MutatingAdmissionPolicy.kind && metadata.name.startsWith("pvc-protection"),
  );
  if (policy) await policyInForce(server);
  // The laptop edition's API server grants at once, in thousands of worlds.
  if (clock === systemClock) await rightsInForce(server, installation.objects);
  const recorder = createRecorder();
  const underWay = createUnderWay();
  const accounts = new Map<string, ReturnType<Server["connect"]>>();
  const asked: Asked[] = [];
  const openAccounts = async ({ accounts: named }: Installation) => {
    for (const { namespace, name } of named) {
      if (accounts.has(`${namespace}/${name}`)) continue;
      const transport = server.connect(await tokenOf(admin, namespace, name));
      accounts.set(
        `${namespace}/${name}`,
        observed(name, transport, (each) => asked.push(each)),
      );
    }
  };
  await openAccounts(installation);
  const identify = (namespace: string, account: string) => {
    const identity = accounts.get(`${namespace}/${account}`);
    if (!identity) throw new Error(`The manifests have no service account ${namespace}/${account}.`);
    return identity;
  };

  const listening = new Map<string, Handler>();
  const options = {
    tools: {
      client: admin,
      transport,
      clock,
      random,
      signal: ended.signal,
      post: underWay.post(fatedPost(recorder.faults)),
      server: "https://10.96.0.1:443",
      send: async (url, request) => {
        const { origin } = new URL(url);
        const handle = listening.get(origin.endsWith(".svc") ? `${origin}.cluster.local` : origin);
        if (!handle) throw new Error(`Nobody listens at ${url}.`);
        return handle(request);
      },
    },
    ingress,
    resolve: ({ kind, namespace, name }) => (kind === "Service" ? addressOf(namespace ?? "default", name) : undefined),
    identify,
    createBroker: underWay.brokers(setting.createBroker ?? crashingDispatcher()),
  } satisfies EventingOptions;
  const startEventing = () => (setting.withoutKnative ? withoutKnative : withKnative)(options, installation.eventing);

  const connect = setting.connect?.(clock);

  /** How to start an instance of a Service. */
  function starterOf(
    { image, namespace, serviceAccount, environment }: Plan,
    release: Pick<WorldRelease, "functions" | "createClient"> = { functions, createClient },
  ): () => Handler {
    const rule = image.replace("fn://", "");
    const start = release.functions[rule];
    if (!start) throw new Error(`No function of the repository is called ${rule}.`);
    const client = release.createClient(recorder.transport(rule, identify(namespace, serviceAccount)), { clock });
    const log = recorder.log(rule);
    const post: Send = (...request) => eventing.send(...request);
    const systems = connect ? { connect } : {};
    const tools = { client: () => client, clock, log, environment, post, id: random.uuid, ...systems };
    return () => recorder.handler(rule, start(tools));
  }

  const starters = new Map<string, () => Handler>();
  function listen({ services }: Installation, release?: WorldRelease): void {
    for (const plan of services) {
      const start = starterOf(plan, release);
      starters.set(plan.image.replace("fn://", ""), start);
      listening.set(addressOf(plan.namespace, plan.service), start());
    }
  }
  listen(installation, setting.release);
  const startInstance = (rule: string): Handler => {
    const start = starters.get(rule);
    if (!start) throw new Error(`${rule} is not installed.`);
    return start();
  };

  const eventing = startEventing();
  await server.eventually("the sources watch", eventing.watching);
  if (setting.bySweepsAlone) sweepEvery(setting.bySweepsAlone).catch(() => {});

  async function sweepEvery(period: number): Promise<void> {
    for (;;) {
      await clock.sleep(period, ended.signal);
      await startInstance("platform/sweep")({ headers: {}, body: "" });
    }
  }

  return {
    world(bench, rest, whenOver) {
      const { namespace } = bench;
      const page = recorder.open(namespace);
      whenOver(() => recorder.close(namespace));
      const { said, calls, deliveries, intercepts, everywhere } = page;
      const handled = async () => {
        // What runs there creates its brokers itself.
        if (setting.withoutKnative) return rest();
        await server.eventually("functions are done with their events", () => underWay.count(namespace) === 0);
      };
      return {
        ...bench,
        setting,
        ...(connect ? { systems: connect } : {}),
        said,
        calls,
        deliveries,
        asked,
        intercept: (step, isAlone) => void (isAlone ? everywhere : intercepts).push(step),
        fate: (decide) => {
          page.fate = decide;
        },
        absent: async () => {
          let isAbsent = true;
          page.fate = () => (isAbsent ? [] : undefined);
          // What has reached them before comes to its end.
          await handled();
          return async () => {
            isAbsent = false;
          };
        },
        upgrade: async (release) => {
          const { release: _, ...rest } = setting;
          const next = readInstallation(release ? { ...rest, release } : rest);
          await install(admin, next.objects, "changed");
          await openAccounts(next);
          listen(next, release);
          eventing.declare?.(next.eventing);
          await server.eventually("the sources watch", eventing.watching);
        },
        instance: (rule) => {
          const handle = startInstance(rule);
          return (hand) => handle(handRequest(hand, namespace, random.uuid()));
        },
        post: (url, event) => eventing.send(url, event),
        sweep: async () => {
          const tick = startInstance("platform/sweep")({ headers: {}, body: "" });
          const answer = await timePasses(server, "the sweep ends", tick);
          if (answer.status !== 204) throw new Error(`The sweep failed: ${answer.body}`);
        },
        rest,
      };
    },
    async stop() {
      ended.abort(new Error("The world has ended."));
      const removed = await uninstall();
      if (clock === systemClock) await rightsInForce(server, removed, false);
      await definitionsGo(server, definitions);
      // What comes next on this server may be a Holdfast without the policy, or have put it there already.
      const isThere = policy && (await admin.get(MutatingAdmissionPolicy, undefined, policy.metadata.name));
      if (policy && !isThere) await policyInForce(server, false);
    },
  };
}

/**
 * Waits until new claims get the finalizer from the policy, or do not any more: a real API server learns of policies by
 * watching them.
 */
export async function policyInForce({ admin, eventually }: Server, isInForce = true): Promise<void> {
  await eventually(`the admission policy is ${isInForce ? "" : "not "}in force`, async () => {
    const probe = claim({ namespace: "default", generateName: "holdfast-probe-" });
    const { metadata } = await admin.create(PersistentVolumeClaim, probe);
    await admin.delete(PersistentVolumeClaim, "default", metadata.name);
    await admin.patch(PersistentVolumeClaim, "default", metadata.name, "merge", { metadata: { finalizers: null } });
    return (metadata.finalizers ?? []).includes("holdfast.dev/pvc-protection") === isInForce;
  });
}

const addressOf = (namespace: string, service: string) => `http://${service}.${namespace}.svc.cluster.local`;
