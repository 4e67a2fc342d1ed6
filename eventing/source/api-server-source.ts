import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { ApiServerSourcePlan } from "../manifest/api-server-source.ts";
import type { FollowTools } from "../watch/follow.ts";
import { changeEvent, type WatchedChange } from "./change-event.ts";
import { type EmitTools, type Emitter, emit } from "./emit.ts";
import { findResource } from "./resource.ts";
import { type ChangeHandlers, type Watched, type WatchOfChanges, watchChanges } from "./watch-changes.ts";

/** What an ApiServerSource runs with: the identity it watches with, and what it sends with. */
export type ApiServerSourceTools = FollowTools &
  EmitTools & {
    /** The API server's URL: the `source` of every event. */
    readonly server: string;
  };

export interface ApiServerSourceOptions {
  /** URL of the sink. */
  readonly sink: string;
  /** The namespaces to watch; absent: all of them, with one watch for each kind. */
  readonly namespaces?: readonly string[] | undefined;
  /** Called when the source begins to see changes (`undefined`) and why it does not. */
  report(problem: string | undefined): void;
}

/** An ApiServerSource, running. */
export interface RunningApiServerSource {
  /** Resolves when every watch has begun for the first time: changes from now on become events. */
  readonly begun: Promise<void>;
  /**
   * Ends it and begins again `downtime` milliseconds later: what changes in between is lost, and so is what was being
   * sent.
   */
  restart(downtime?: number): void;
  /** Makes every watch end with 410 Gone, which loses what happened since the event it last saw. */
  expire(): void;
}

/** Seconds until a source that failed fast is started again: as the kubelet restarts containers. */
const crashBackoff = [0, 10, 20, 40, 80, 160, 300];

/** Starts an ApiServerSource; it ends with `tools.signal`. */
export function startApiServerSource(
  plan: ApiServerSourcePlan,
  options: ApiServerSourceOptions,
  tools: ApiServerSourceTools,
): RunningApiServerSource {
  const { clock, signal, trace, server } = tools;
  const by = `ApiServerSource ${plan.namespace}/${plan.name}`;
  const emitter: Emitter = { by, namespace: plan.namespace, sink: options.sink, extensions: plan.extensions };
  const begun = Promise.withResolvers<void>();
  let watches: WatchOfChanges[] = [];
  let interrupt: (downtime: number) => void = () => {};
  let crashes = 0;
  const note = (hop: "gap" | "trouble", message: string) => trace?.({ at: clock.now(), hop, by, message });

  async function changed(change: WatchedChange, object: KubernetesObject, stop: AbortSignal): Promise<void> {
    if (!hasOwner(object, plan.owner)) return;
    const event = changeEvent(change, object, plan.mode, server);
    if (plan.filter(event.attributes)) await emit(tools, emitter, event, stop);
  }

  async function targets(): Promise<Watched[]> {
    const all: Watched[] = [];
    for (const { apiVersion, kind, selector: labelSelector } of plan.resources) {
      const resource = await findResource(tools.client, apiVersion, kind);
      if (!resource && plan.failFast) throw new Error(`${apiVersion} ${kind} is not served`);
      if (!resource) note("trouble", `${apiVersion} ${kind} is not served under the name Knative guesses for it`);
      if (!resource) continue;
      if (!resource.namespaced || !options.namespaces) all.push({ kind: resource, labelSelector });
      else for (const namespace of options.namespaces) all.push({ kind: resource, namespace, labelSelector });
    }
    return all;
  }

  /** One life of the adapter process; answers for how many milliseconds it stays down after it. */
  async function live(): Promise<number> {
    const life = new AbortController();
    const stop = AbortSignal.any([signal, life.signal]);
    const interrupted = new Promise<number>((resolve) => {
      interrupt = resolve;
      signal.addEventListener("abort", () => resolve(0), { once: true });
    });
    const crash = (message: string) => {
      options.report(message);
      note("trouble", message);
      const seconds = crashBackoff[Math.min(crashes++, crashBackoff.length - 1)] as number;
      return seconds * 1000;
    };
    try {
      const found = await targets();
      let waiting = found.length;
      const begin = () => {
        options.report(undefined);
        begun.resolve();
      };
      const handlers: ChangeHandlers = {
        failFast: plan.failFast,
        gap: (message) => note("gap", message),
        failed: (message) => note("trouble", message),
        changed: (change, object) => changed(change, object, stop),
        begun: () => {
          if (--waiting === 0) begin();
        },
      };
      watches = found.map((target) => watchChanges({ ...tools, signal: stop }, target, handlers));
      if (found.length === 0) begin();
      if (!plan.failFast) return await interrupted;
      return await Promise.race([interrupted, Promise.race(watches.map(({ ended }) => ended)).then(crash)]);
    } catch (error) {
      return crash(error instanceof Error ? error.message : String(error));
    } finally {
      watches = [];
      life.abort(new Error("the source was stopped"));
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const downtime = await live();
      if (signal.aborted) return;
      note("gap", "the source starts again");
      if (downtime > 0) await clock.sleep(downtime, signal).catch(() => {});
    }
  }

  void run();
  return {
    begun: begun.promise,
    restart: (downtime = 0) => interrupt(downtime),
    expire: () => {
      for (const watch of watches) watch.expire();
    },
  };
}

function hasOwner(object: KubernetesObject, owner: ApiServerSourcePlan["owner"]): boolean {
  if (!owner) return true;
  const controller = object.metadata.ownerReferences?.find((reference) => reference.controller);
  return controller?.apiVersion === owner.apiVersion && controller.kind === owner.kind;
}
