import type { Random } from "../../eventing/random.ts";
import type { Send } from "../../eventing/send.ts";
import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import { crashingDispatcher } from "../../local/knative/crashing-dispatcher.ts";
import type { Plan } from "../../local/serving/plan.ts";
import { systemClock } from "../../shared/clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { Namespace, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type AccountRequest, recordRequests } from "./account-request.ts";
import { createAccounts } from "./accounts.ts";
import { advanceUntilSettled } from "./advance-until-settled.ts";
import type { Cluster, OtherRelease, Setting } from "./cluster.ts";
import { definitionsDeleted } from "./definitions-deleted.ts";
import { addressOf, eventingOptions, withKnative, withoutKnative } from "./eventing.ts";
import { fatedPost } from "./faults/fates.ts";
import { functions, type Handler } from "./functions.ts";
import { createInFlight } from "./in-flight.ts";
import { type Installation, install, readInstallation } from "./installation.ts";
import { MutatingAdmissionPolicy } from "./kinds.ts";
import { claim } from "./manifest.ts";
import { manualRequest } from "./manual-event.ts";
import type { WhenOver } from "./open-namespace.ts";
import { policiesInForce } from "./policies-in-force.ts";
import { createRecorder } from "./recorder.ts";
import { rightsInForce } from "./rights-in-force.ts";
import type { Bench, Server } from "./server.ts";

/** Holdfast on a server: everything of it that outlives one scenario. */
export interface Holdfast {
  /** Holdfast as one scenario sees it. `rest` is how time is spent on this server. */
  cluster(bench: Bench, rest: () => Promise<void>, whenOver: WhenOver): Cluster;
  /** Stops it and takes off the server what was put there. */
  stop(): Promise<void>;
  /** Stops it where the server goes with it. */
  end(): void;
}

/**
 * Installs Holdfast from `knative/` on a server, and runs sources, brokers and functions in this process, each source
 * and each function under its own service account.
 */
export async function startHoldfast(server: Server, random: Random, setting: Setting): Promise<Holdfast> {
  const { admin, clock } = server;
  const ended = new AbortController();
  const end = () => ended.abort(new Error("The cluster has ended."));
  const installation = readInstallation(setting);
  await noneTerminating(server, installation.objects);
  const uninstall = await install(admin, installation.objects);
  const definitions = installation.objects
    .filter(({ kind }) => kind === CustomResourceDefinition.kind)
    .map(({ metadata }) => metadata.name);
  const policy = installation.objects.find(
    ({ kind, metadata }) => kind === MutatingAdmissionPolicy.kind && metadata.name.startsWith("pvc-protection"),
  );
  if (policy) await policyInForce(server);
  // The laptop edition's API server grants and refuses at once, in thousands of clusters.
  if (clock === systemClock) {
    await rightsInForce(server, installation.objects);
    await policiesInForce(server);
  }
  const recorder = createRecorder();
  const inFlight = createInFlight();
  const asked: AccountRequest[] = [];
  const accounts = createAccounts(server, (name, transport) =>
    recordRequests(name, transport, (each) => asked.push(each)),
  );
  await accounts.connect(installation.accounts);

  const listening = new Map<string, Handler>();
  const options = eventingOptions(server, {
    random,
    signal: ended.signal,
    post: inFlight.post(fatedPost(recorder.faults)),
    send: async (url, request) => {
      const { origin } = new URL(url);
      const handle = listening.get(origin.endsWith(".svc") ? `${origin}.cluster.local` : origin);
      if (!handle) throw new Error(`Nothing listens at ${url}.`);
      return handle(request);
    },
    identify: accounts.identify,
    createBroker: inFlight.brokers(setting.createBroker ?? crashingDispatcher()),
  });
  const startEventing = () => (setting.withoutKnative ? withoutKnative : withKnative)(options, installation.eventing);

  const connect = setting.connect?.(clock);

  /** How to start an instance of a Service. */
  function starterOf(
    { image, namespace, serviceAccount, environment }: Plan,
    release: Pick<OtherRelease, "functions" | "createClient"> = { functions, createClient },
  ): () => Handler {
    const rule = image.replace("fn://", "");
    const start = release.functions[rule];
    if (!start) throw new Error(`No function of the repository is called ${rule}.`);
    const client = release.createClient(recorder.transport(rule, accounts.identify(namespace, serviceAccount)), {
      clock,
    });
    const log = recorder.log(rule);
    const post: Send = (...request) => eventing.send(...request);
    const systems = connect ? { connect } : {};
    const tools = { client: () => client, clock, log, environment, post, id: random.uuid, ...systems };
    return () => recorder.handler(rule, start(tools));
  }

  const starters = new Map<string, () => Handler>();
  function listen({ services }: Installation, release?: OtherRelease): void {
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
    cluster(bench, rest, whenOver) {
      const { namespace } = bench;
      const page = recorder.open(namespace);
      whenOver(() => recorder.close(namespace));
      const { said, calls, deliveries, intercepts, everywhere } = page;
      const handled = async () => {
        // What runs there creates its brokers itself.
        if (setting.withoutKnative) return rest();
        await server.eventually("functions are done with their events", () => inFlight.count(namespace) === 0);
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
          await accounts.connect(next.accounts);
          listen(next, release);
          eventing.declare?.(next.eventing);
          await server.eventually("the sources watch", eventing.watching);
        },
        instance: (rule) => {
          const handle = startInstance(rule);
          return (hand) => handle(manualRequest(hand, namespace, random.uuid()));
        },
        post: (url, event) => eventing.send(url, event),
        sweep: async () => {
          const tick = startInstance("platform/sweep")({ headers: {}, body: "" });
          const answer = await advanceUntilSettled(server, "the sweep ends", tick);
          if (answer.status !== 204) throw new Error(`The sweep failed: ${answer.body}`);
        },
        rest,
      };
    },
    end,
    async stop() {
      end();
      const removed = await uninstall();
      if (clock === systemClock) await rightsInForce(server, removed, false);
      await definitionsDeleted(server, definitions);
      // What comes next on this server may be a Holdfast without the policy, or have put it there already.
      const isThere = policy && (await admin.get(MutatingAdmissionPolicy, undefined, policy.metadata.name));
      if (policy && !isThere) await policyInForce(server, false);
    },
  };
}

/** Waits until no namespace of these objects is being deleted: the installation before may have left one that goes. */
async function noneTerminating({ admin, eventually }: Server, objects: readonly KubernetesObject[]): Promise<void> {
  for (const name of new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []))) {
    const isSettled = async () => !(await admin.get(Namespace, undefined, name))?.metadata.deletionTimestamp;
    if (!(await isSettled())) await eventually(`the namespace ${name} is gone`, isSettled);
  }
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
