import type { Send } from "../knative/send.ts";
import type { FleetEvent } from "./fleet.ts";
import { type Launch, startInstance } from "./instance.ts";
import { type Keeper, startKeeper } from "./keeper.ts";
import type { Plan } from "./plan.ts";
import { createRevision, type Revision } from "./revision.ts";

/** Which version of which function something is about. */
export interface RevisionName {
  readonly namespace: string;
  readonly service: string;
  readonly revision: string;
}

export interface ActivatorOptions {
  /** How the processes of a revision are to be run; asked once per revision, as a revision never changes. */
  launch(plan: Plan, name: RevisionName): Promise<Launch>;
  /** What happens to instances. */
  onEvent?(name: RevisionName, event: FleetEvent): void;
  /** One JSON line that a function wrote to its standard output. */
  onRecord?(name: RevisionName, record: Record<string, unknown>): void;
  /** Milliseconds without a request after which an instance goes, in place of what the Services say. */
  window?: number;
  /** Instances a revision must get ready before it takes traffic where its template does not say; 1 as in Knative. */
  initialScale?: number;
  /** Milliseconds until a process must listen; 30,000 by default. */
  startLimit?: number;
  /** Instances that one revision may have; 4 by default. */
  mostInstances?: number;
}

/**
 * Knative Serving on one machine: functions are processes that start with the first request, answer as many at once as
 * they are allowed to, and go when nothing comes. Real time and real processes; everything else of the laptop edition
 * reaches it through {@link Activator.send}.
 */
export interface Activator {
  /** Delivers to `http://<service>.<namespace>.svc.cluster.local/...`; rejects for a host that it does not know. */
  readonly send: Send;
  /**
   * Makes `plan` the revision that takes the traffic of its service, once it is ready, and resolves then. The revision
   * before it answers what it has been given and goes. Rejects when the new one does not come to listen; the old one
   * stays then.
   */
  deploy(plan: Plan, revision: string): Promise<void>;
  /** Takes a service away once what it has been given is answered. */
  remove(namespace: string, service: string): Promise<void>;
  /** How many processes there are, those that start or stop included. */
  processes(): number;
  /** Ends every process; those at a request have `grace` milliseconds (2,000 by default) to answer. */
  close(grace?: number): Promise<void>;
}

interface Deployment {
  current?: Revision;
  /** Counts deployments, so that one that was overtaken while it got ready does not take the traffic. */
  turn: number;
}

export function createActivator(options: ActivatorOptions): Activator {
  const { startLimit = 30_000, mostInstances = 4, initialScale = 1 } = options;
  const keeper: Keeper = startKeeper();
  const deployments = new Map<string, Deployment>();
  const revisions = new Set<Revision>();
  let closing = false;

  function create(plan: Plan, name: RevisionName, launch: Launch): Revision {
    const scale = { ...plan.scale, window: options.window ?? plan.scale.window };
    const revision = createRevision({
      plan: { ...plan, scale },
      mostInstances,
      report: (event) => options.onEvent?.(name, event),
      start: (signal) =>
        startInstance(launch, keeper, startLimit, (record) => options.onRecord?.(name, record), signal),
    });
    revisions.add(revision);
    return revision;
  }

  async function retire(revision: Revision | undefined): Promise<void> {
    await revision?.drain();
    if (revision) revisions.delete(revision);
  }

  return {
    async send(url, request, signal) {
      const { hostname, pathname, search } = new URL(url);
      const deployment = deployments.get(hostname.replace(/\.svc(\.cluster\.local)?$/, ""));
      if (!deployment) throw new Error(`There is no Knative Service behind ${url}.`);
      if (!deployment.current) {
        const headers = { "content-type": "text/plain; charset=utf-8" };
        return { status: 503, headers, body: "No revision of the Service is ready." };
      }
      const headers = { ...request.headers, host: hostname };
      return deployment.current.handle(pathname + search, { ...request, headers }, signal);
    },

    async deploy(plan, revision) {
      const name = { namespace: plan.namespace, service: plan.service, revision };
      const key = keyOf(plan.namespace, plan.service);
      const deployment = deployments.get(key) ?? { turn: 0 };
      deployments.set(key, deployment);
      const turn = ++deployment.turn;
      const launch = await options.launch(plan, name);
      const next = create(plan, name, {
        ...launch,
        environment: { ...launch.environment, ...knativeEnvironment(name) },
      });
      try {
        // The first revision of a service may come up with its first request; a later one never takes traffic unproven.
        const proof = deployment.current ? 1 : initialScale;
        await next.prove(Math.max(plan.scale.min, plan.scale.initial ?? proof));
      } catch (error) {
        await retire(next);
        throw error;
      }
      if (turn !== deployment.turn || closing) return retire(next);
      const before = deployment.current;
      deployment.current = next;
      void retire(before);
    },

    async remove(namespace, service) {
      const key = keyOf(namespace, service);
      const deployment = deployments.get(key);
      if (!deployment) return;
      deployment.turn++;
      deployments.delete(key);
      await retire(deployment.current);
    },

    processes: () => [...revisions].reduce((sum, revision) => sum + revision.processes(), 0),

    async close(grace = 2000) {
      closing = true;
      await Promise.all([...revisions].map((revision) => revision.close(grace)));
      keeper.close();
    },
  };
}

const keyOf = (namespace: string, service: string) => `${service}.${namespace}`;

/** What Knative's container contract promises beside `PORT`. */
const knativeEnvironment = ({ service, revision }: RevisionName) => ({
  K_SERVICE: service,
  K_CONFIGURATION: service,
  K_REVISION: revision,
});
