import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { type ControllerTools, type Running, splitKey } from "../controllers/controller.ts";
import { timestamp } from "../controllers/timestamp.ts";
import { startWorkQueue } from "../controllers/work-queue.ts";
import { Unobeyable } from "../knative/manifest/unobeyable.ts";
import { keyOf } from "../watch/reflect.ts";
import type { Activator } from "./activator.ts";
import type { FleetEvent } from "./fleet.ts";
import { KnativeService } from "./kind.ts";
import { type Plan, readPlan } from "./plan.ts";
import { type ServiceStatus, type Standing, statusOf, urlOf } from "./status.ts";

/** The controller of Knative Services as it runs. */
export interface ServingController extends Running {
  /** To be told what happens to instances: a function that cannot be started makes its Service not ready. */
  observe(name: { namespace: string; service: string; revision: string }, event: FleetEvent): void;
  /** Where events for a Service are sent; `undefined` for one that does not exist. */
  addressOf(namespace: string, name: string): string | undefined;
}

interface Known {
  readonly uid: string;
  /** The template of the newest revision. */
  template?: unknown;
  standing: Standing;
}

/**
 * Keeps the activator at what the Services of a cluster say, and their status at what the activator does. Every change of
 * a template is a new revision; a template that cannot be obeyed changes nothing but the status.
 */
export function startServingController(tools: ControllerTools, activator: Activator): ServingController {
  const { client, clock, signal, reflections, trouble } = tools;
  const services = reflections.of(KnativeService);
  const known = new Map<string, Known>();
  const queue = startWorkQueue({
    clock,
    signal,
    ready: services.synced,
    work,
    failed: (subject, error) => trouble({ controller: "serving", subject, error }),
  });
  services.on((_, service) => queue.add(keyOf(service)));

  async function work(key: string): Promise<void> {
    const { namespace = "", name } = splitKey(key);
    const service = services.get(namespace, name);
    const before = known.get(key);
    if (before && before.uid !== service?.metadata.uid) {
      known.delete(key);
      // What it still has to answer must not hold up the others.
      void activator.remove(namespace, name);
    }
    if (!service) return;
    const entry = known.get(key) ?? { uid: service.metadata.uid, standing: {} };
    known.set(key, entry);
    const { template } = service.spec as { template?: unknown };
    if (!isDeepStrictEqual(entry.template, template)) {
      entry.template = template;
      roll(key, entry, service);
    }
    await writeStatus(service, entry.standing);
  }

  function roll(key: string, entry: Known, service: KubernetesObject): void {
    const plan = planOf(service);
    if (plan instanceof Unobeyable) {
      entry.standing = { ...entry.standing, fault: { reason: "NotObeyed", message: plan.message } };
      return;
    }
    const created = nextRevision(service, entry.standing.created);
    entry.standing = { ...(entry.standing.ready ? { ready: entry.standing.ready } : {}), created };
    const settle = (change: Standing) => {
      if (entry.standing.created === created) entry.standing = { ...entry.standing, ...change };
      queue.add(key);
    };
    activator.deploy(plan, created).then(
      () => settle({ ready: created }),
      (error: Error) => settle({ fault: failure(created, error.message) }),
    );
  }

  async function writeStatus(service: KubernetesObject, standing: Standing): Promise<void> {
    const { namespace, name } = service.metadata;
    const before = service.status as ServiceStatus | undefined;
    const status = statusOf(service, standing, timestamp(clock.now()));
    const merged = { ...before, ...status };
    if (isDeepStrictEqual(before, merged)) return;
    await client.patch(KnativeService, namespace, name, "merge", { status }, { subresource: "status" });
  }

  return {
    synced: services.synced,
    addressOf: (namespace, name) => (services.get(namespace, name) ? urlOf(namespace, name) : undefined),
    observe({ namespace, service, revision }, event) {
      const key = `${namespace}/${service}`;
      const entry = known.get(key);
      if (!entry || entry.standing.created !== revision) return;
      const { fault, ...sound } = entry.standing;
      if (event.what === "failed") entry.standing = { ...sound, fault: failure(revision, event.because) };
      else if (event.what === "started" && fault) entry.standing = sound;
      else return;
      queue.add(key);
    },
  };
}

function planOf(service: KubernetesObject): Plan | Unobeyable {
  try {
    return readPlan(service);
  } catch (error) {
    if (error instanceof Unobeyable) return error;
    throw error;
  }
}

const failure = (revision: string, because: string) => ({
  reason: "RevisionFailed",
  message: `Revision ${revision} failed. ${because}`.slice(0, 2000),
});

/**
 * Revisions are numbered through the life of a Service: on from the last one here, or from the one in the status, which
 * an earlier run of this program wrote. The same template after a restart is the same revision.
 */
function nextRevision(service: KubernetesObject, last: string | undefined): string {
  const { name, generation } = service.metadata;
  const status = service.status as ServiceStatus | undefined;
  const written = last ?? status?.latestCreatedRevisionName;
  const same = last === undefined && status?.observedGeneration === generation;
  const number = written ? Number(written.slice(-5)) + (same ? 0 : 1) : 1;
  return `${name}-${String(number).padStart(5, "0")}`;
}
