import { isDeepStrictEqual } from "node:util";
import { Unobeyable } from "../../eventing/manifest/unobeyable.ts";
import { keyOf } from "../../eventing/watch/reflect.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { timestamp } from "../../shared/kubernetes/timestamp.ts";
import { type ControllerTools, splitKey } from "../controllers/controller.ts";
import { startWorkQueue } from "../controllers/work-queue.ts";
import type { Activator, RevisionName } from "./activator.ts";
import { KnativeService } from "./kind.ts";
import { readService, type Wanted } from "./plan.ts";
import type { InstanceEvent } from "./revision.ts";
import { type Fault, type ServiceStatus, statusOf, urlOf } from "./status.ts";
import { allToLatest, type TrafficTarget } from "./traffic.ts";

interface Known {
  readonly uid: string;
  /** The template of the newest revision, and its name. */
  template?: unknown;
  created?: string;
  /** The newest revision that is ready. */
  ready?: string;
  /** Why the newest is not. */
  failed?: Fault;
  /** The sharing that the activator was last given. */
  traffic: readonly TrafficTarget[];
}

/**
 * Keeps the activator at what the Services of a cluster say, and their status at what the activator does. Every change
 * of a template is a new revision; what cannot be obeyed changes nothing but the status.
 */
export function startServingController(tools: ControllerTools, activator: Activator) {
  const { client, clock, reflections } = tools;
  const services = reflections.of(KnativeService);
  const known = new Map<string, Known>();
  const queue = startWorkQueue(tools, { controller: "serving", ready: services.synced, work });
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
    const entry: Known = known.get(key) ?? { uid: service.metadata.uid, traffic: allToLatest };
    known.set(key, entry);
    const wanted = wantedBy(service, entry);
    if (wanted instanceof Unobeyable) {
      await writeStatus(service, entry, { fault: { reason: "NotObeyed", message: wanted.message } });
      return;
    }
    const { template } = service.spec as { template: unknown };
    if (!isDeepStrictEqual(entry.template, template)) {
      entry.template = template;
      roll(key, entry, service, wanted);
    }
    await writeStatus(service, entry, route(entry, wanted));
  }

  function roll(key: string, entry: Known, service: KubernetesObject, { plan, revision }: Wanted): void {
    const created = revision ?? nextRevision(service, entry.created);
    entry.created = created;
    delete entry.failed;
    const settle = (change: () => void) => {
      if (entry.created === created) change();
      queue.add(key);
    };
    activator.deploy(plan, created).then(
      () => settle(() => Object.assign(entry, { ready: created })),
      (error: Error) => settle(() => Object.assign(entry, { failed: failure(created, error.message) })),
    );
  }

  /** Has the activator share requests as the Service says. What it cannot do changes nothing, and is reported. */
  function route(entry: Known, { plan, traffic }: Wanted): { misrouted?: Fault } {
    if (!isDeepStrictEqual(entry.traffic, traffic)) {
      const [missing] = activator.route(plan.namespace, plan.service, traffic);
      if (missing !== undefined) {
        const message = `Revision ${JSON.stringify(missing)} referenced in traffic not found.`;
        return { misrouted: { reason: "RevisionMissing", message } };
      }
      entry.traffic = traffic;
    }
    return {};
  }

  async function writeStatus(
    service: KubernetesObject,
    { created, ready, failed, traffic }: Known,
    wrong: { fault?: Fault; misrouted?: Fault },
  ): Promise<void> {
    const { namespace, name } = service.metadata;
    const before = service.status as ServiceStatus | undefined;
    const standing = {
      traffic,
      ...(created === undefined ? {} : { created }),
      ...(ready === undefined ? {} : { ready }),
      ...(failed ? { fault: failed } : {}),
      ...wrong,
    };
    const status = statusOf(service, standing, timestamp(clock.now()));
    const merged = { ...before, ...status };
    if (isDeepStrictEqual(before, merged)) return;
    await client.patch(KnativeService, namespace, name, "merge", { status }, { subresource: "status" });
  }

  return {
    synced: services.synced,
    /** Where events for a Service are sent; `undefined` for one that does not exist. */
    addressOf: (namespace: string, name: string) =>
      services.get(namespace, name) ? urlOf(namespace, name) : undefined,
    /** Called with what happens to instances: a function that cannot be started makes its Service not ready. */
    observe({ namespace, service, revision }: RevisionName, event: InstanceEvent) {
      const key = `${namespace}/${service}`;
      const entry = known.get(key);
      if (!entry || entry.created !== revision) return;
      if (event.what === "failed") entry.failed = failure(revision, event.message);
      else if (event.what === "started" && entry.failed) delete entry.failed;
      else return;
      queue.add(key);
    },
  };
}

/** As Knative's webhook, which has a template and its name change together. */
function wantedBy(service: KubernetesObject, { template, created }: Known): Wanted | Unobeyable {
  try {
    const wanted = readService(service);
    const changes =
      template !== undefined && !isDeepStrictEqual(template, (service.spec as { template?: unknown }).template);
    if (!changes || wanted.revision !== created) return wanted;
    const { namespace, name } = service.metadata;
    const path = "spec.template.metadata.name";
    return new Unobeyable(`Service ${namespace}/${name}: ${path}: ${created} is the name of another template.`);
  } catch (error) {
    if (error instanceof Unobeyable) return error;
    throw error;
  }
}

const failure = (revision: string, message: string) => ({
  reason: "RevisionFailed",
  message: `Revision ${revision} failed. ${message}`.slice(0, 2000),
});

/** Revisions are numbered through the life of a Service, on from the last one. */
function nextRevision({ metadata: { name, generation = 1 } }: KubernetesObject, last: string | undefined): string {
  const numbered = /-(\d{5})$/.exec(last ?? "")?.[1];
  // After a name of the template's own the number is what Knative's would be: that of the template's changes, or more.
  const number = numbered === undefined ? (last ? generation : 1) : Number(numbered) + 1;
  return `${name}-${String(number).padStart(5, "0")}`;
}
