import type { IncomingMessage, ServerResponse } from "node:http";
import type { Send } from "../../eventing/send.ts";
import { type Instance, type Launch, startInstance } from "./instance.ts";
import { type Keeper, startKeeper } from "./keeper.ts";
import type { Plan } from "./plan.ts";
import type { FunctionPods } from "./pods.ts";
import { Refusal } from "./refusal.ts";
import { createRevision, type InstanceEvent, type Revision } from "./revision.ts";
import { allToLatest, dealOut, type TrafficTarget } from "./traffic.ts";

/** Which version of which function something is about. */
export interface RevisionName {
  readonly namespace: string;
  readonly service: string;
  readonly revision: string;
}

export interface ActivatorOptions {
  /** How the processes of a revision are to be run; asked once per revision, as a revision never changes. */
  launch(plan: Plan, name: RevisionName): Promise<Launch>;
  /** The Pod objects that stand for instances; absent: there are none. */
  readonly pods?: FunctionPods;
  /** What happens to instances. */
  onEvent?(name: RevisionName, event: InstanceEvent): void;
  /** One JSON line that a function wrote to its standard output. */
  onRecord?(name: RevisionName, record: Record<string, unknown>): void;
  /** Milliseconds without a request after which an instance goes, in place of what the Services say. */
  window?: number;
  /** Milliseconds until a process must listen; 30,000 by default. */
  startLimit?: number;
}

/**
 * Knative Serving on one machine: functions are processes that start with the first request, answer as many at once as
 * they are allowed to, and go when nothing comes. Real time and real processes; everything else of the laptop edition
 * reaches it through `send`.
 */
export type Activator = ReturnType<typeof createActivator>;

/** A revision that was ready once. While it has traffic, or a tag, it runs. */
interface Version {
  readonly name: RevisionName;
  readonly plan: Plan;
  readonly launch: Launch;
  running?: Revision;
}

interface Deployment {
  /** By the names of their revisions, oldest first. */
  readonly versions: Map<string, Version>;
  latest?: Version;
  traffic: readonly TrafficTarget[];
  /** Who gets the next request. */
  next(): Version | undefined;
  readonly tags: Map<string, Version>;
  /** Counts deployments, so that one that was overtaken while it got ready does not take the traffic. */
  turn: number;
}

/** Revisions without traffic that can be had back; Knative keeps as many. */
const keptVersions = 20;

export function createActivator(options: ActivatorOptions) {
  const { startLimit = 30_000 } = options;
  const keeper: Keeper = startKeeper();
  const deployments = new Map<string, Deployment>();
  const revisions = new Set<Revision>();
  let closing = false;

  function create(plan: Plan, name: RevisionName, launch: Launch): Revision {
    const scale = { ...plan.scale, window: options.window ?? plan.scale.window };
    const revision = createRevision({
      plan: { ...plan, scale },
      report: (event) => options.onEvent?.(name, event),
      start: (signal) => start(plan, name, launch, signal),
    });
    revisions.add(revision);
    return revision;
  }

  /** Starts one instance, and its pod with it, which goes when the process has gone. */
  async function start(plan: Plan, name: RevisionName, launch: Launch, signal: AbortSignal): Promise<Instance> {
    const end = options.pods?.begin(plan, name.revision) ?? (() => {});
    const onRecord = (record: Record<string, unknown>) => options.onRecord?.(name, record);
    try {
      const instance = await startInstance(launch, keeper, startLimit, onRecord, signal);
      void instance.ended.then(end);
      return instance;
    } catch (error) {
      end();
      throw error;
    }
  }

  async function retire(revision: Revision | undefined): Promise<void> {
    await revision?.drain();
    if (revision) revisions.delete(revision);
  }

  /** Brings who runs to who has traffic. A revision that gets some back starts with its first request, as from zero. */
  function share(deployment: Deployment): void {
    const { versions, latest, traffic } = deployment;
    const shares = traffic.flatMap(({ revisionName, percent, tag }) => {
      const to = revisionName === undefined ? latest : versions.get(revisionName);
      return to ? [{ to, percent, tag }] : [];
    });
    const served = new Set(shares.map(({ to }) => to));
    for (const version of served) {
      if (version.running) continue;
      version.running = create(version.plan, version.name, version.launch);
      // What keeps it from starting is reported when it is asked for.
      if (version.plan.scale.min > 0) version.running.prove().catch(() => {});
    }
    deployment.next = dealOut(shares);
    deployment.tags.clear();
    for (const { to, tag } of shares) if (tag !== undefined) deployment.tags.set(tag, to);

    const spare = [...versions.values()].filter((version) => !served.has(version));
    for (const version of spare) {
      void retire(version.running);
      delete version.running;
    }
    for (const { name } of spare.slice(0, -keptVersions)) versions.delete(name.revision);
  }

  function deploymentOf(namespace: string, service: string): Deployment {
    const key = keyOf(namespace, service);
    const known = deployments.get(key);
    if (known) return known;
    const fresh = { versions: new Map(), tags: new Map(), traffic: allToLatest, turn: 0, next: () => undefined };
    deployments.set(key, fresh);
    return fresh;
  }

  /** Whom a host name of the cluster stands for: a service, or a tag of one. `undefined`: none. */
  function findHost(host: string): Pick<Deployment, "next"> | undefined {
    const known = deployments.get(host);
    if (known) return known;
    for (const [key, { tags }] of deployments)
      for (const [tag, version] of tags) if (`${tag}-${key}` === host) return { next: () => version };
    return undefined;
  }

  /** What answers to an address now, and the path there. */
  function findRevision(url: string) {
    const { hostname, pathname, search } = new URL(url);
    const host = findHost(hostname.replace(/\.svc(\.cluster\.local)?$/, ""));
    if (!host) throw new Error(`There is no Knative Service behind ${url}.`);
    return { hostname, path: pathname + search, revision: host.next()?.running };
  }

  const send: Send = async (url, request, signal) => {
    const { hostname, path, revision } = findRevision(url);
    if (!revision) return noRevision.answer;
    const headers = { ...request.headers, host: hostname };
    return revision.handle(path, { ...request, headers }, signal);
  };

  return {
    /** Delivers to `http://<service>.<namespace>.svc.cluster.local/...`; rejects for a host that it does not know. */
    send,

    /** Answers a request of any method to such an address, as it comes; rejects for a host that it does not know. */
    async pass(url: string, incoming: IncomingMessage, outgoing: ServerResponse) {
      const { path, revision } = findRevision(url);
      const { status, headers, body } = noRevision.answer;
      if (revision) await revision.pass(path, incoming, outgoing);
      else outgoing.writeHead(status, headers).end(body);
    },

    /**
     * Makes `plan` the newest revision of its service, once it is ready, and resolves then; unless `route` said
     * otherwise it takes the traffic. A revision that has no share of it any more answers what it has been given and
     * goes. Rejects when the new one does not come to listen; nothing changes then.
     */
    async deploy(plan: Plan, revision: string): Promise<void> {
      const name = { namespace: plan.namespace, service: plan.service, revision };
      const deployment = deploymentOf(plan.namespace, plan.service);
      const turn = ++deployment.turn;
      const { environment, ...rest } = await options.launch(plan, name);
      const launch = { ...rest, environment: { ...environment, ...knativeEnvironment(name) } };
      const running = create(plan, name, launch);
      try {
        // The first revision of a service comes up with its first request; a later one never takes traffic unproven.
        if (plan.scale.min > 0 || deployment.latest) await running.prove();
      } catch (error) {
        await retire(running);
        throw error;
      }
      if (turn !== deployment.turn || closing) return retire(running);
      deployment.latest = { name, plan, launch, running };
      deployment.versions.set(revision, deployment.latest);
      share(deployment);
    },

    /**
     * Shares the requests to a service among its revisions from now on, and gives those with a tag an address of their
     * own. Returns the names of revisions that are not there; if there are any, nothing changes.
     */
    route(namespace: string, service: string, traffic: readonly TrafficTarget[]) {
      const deployment = deploymentOf(namespace, service);
      const missing = traffic.flatMap(({ revisionName }) =>
        revisionName !== undefined && !deployment.versions.has(revisionName) ? [revisionName] : [],
      );
      if (missing.length === 0 && !closing) {
        deployment.traffic = traffic;
        share(deployment);
      }
      return missing;
    },

    /** Takes a service away once what it has been given is answered. */
    async remove(namespace: string, service: string) {
      const key = keyOf(namespace, service);
      const deployment = deployments.get(key);
      if (!deployment) return;
      deployment.turn++;
      deployments.delete(key);
      await Promise.all([...deployment.versions.values()].map(({ running }) => retire(running)));
    },

    /** How many processes there are, those that start or stop included. */
    processes: () => [...revisions].reduce((sum, revision) => sum + revision.processes(), 0),

    /** Ends every process; those at a request have `grace` milliseconds (2,000 by default) to answer. */
    async close(grace = 2000) {
      closing = true;
      await Promise.all([...revisions].map((revision) => revision.close(grace)));
      await options.pods?.settled();
      keeper.close();
    },
  };
}

const noRevision = new Refusal(503, "No revision of the Service is ready.");

const keyOf = (namespace: string, service: string) => `${service}.${namespace}`;

/** What Knative's container contract promises beside `PORT`. */
const knativeEnvironment = ({ service, revision }: RevisionName) => ({
  K_SERVICE: service,
  K_CONFIGURATION: service,
  K_REVISION: revision,
});
