import type { ApiServerSourcePlan } from "../manifest/api-server-source.ts";
import type { PingSourcePlan } from "../manifest/ping-source.ts";
import type { ApiServerSourceTools } from "../source/api-server-source.ts";
import { runPingSource } from "../source/ping-source.ts";
import { type Declarations, settingsOf } from "./declarations.ts";
import { type ManagedSource, type ManagedSourceOptions, manageSource } from "./managed-source.ts";
import type { Address } from "./standing.ts";
import type { Find } from "./subscriptions.ts";

interface RunningSource {
  /** What it was started with: anything else starts it again. */
  readonly settings: string;
  readonly sink: Address;
  /** Only of an ApiServerSource whose sink has an address. */
  readonly managed?: ManagedSource;
  stop(): void;
}

/** The sources that run. */
export interface Sources {
  /** Starts what is new, stops what is gone, and starts again what asks for something else or goes elsewhere. */
  keep(): void;
  get(kind: "ApiServerSource" | "PingSource", key: string): RunningSource | undefined;
}

/** Keeps the sources at what is declared. */
export function keepSources(
  declarations: Declarations,
  find: Find,
  options: Omit<ManagedSourceOptions, "sink">,
  tools: ApiServerSourceTools,
): Sources {
  const sources = new Map<string, RunningSource>();

  const starters = {
    ApiServerSource(plan: ApiServerSourcePlan, sink: string) {
      const managed = manageSource(plan, { ...options, sink }, tools);
      return { managed, stop: managed.stop };
    },
    PingSource(plan: PingSourcePlan, sink: string) {
      const ended = new AbortController();
      void runPingSource(plan, sink, tools, AbortSignal.any([tools.signal, ended.signal]));
      return { stop: () => ended.abort(new Error("the source was stopped")) };
    },
  };

  interface Wanted {
    readonly settings: string;
    readonly sink: Address;
    start(url: string): Pick<RunningSource, "managed" | "stop">;
  }

  function wanted<K extends keyof typeof starters>(kind: K): [string, Wanted][] {
    const starter = starters[kind] as (plan: unknown, sink: string) => ReturnType<Wanted["start"]>;
    return declarations.plans(kind).map(({ key, object, plan }) => {
      const sink = find(plan.sink, plan.namespace);
      const settings = `${settingsOf(object)} ${JSON.stringify(sink)}`;
      return [`${kind} ${key}`, { settings, sink, start: (url) => starter(plan, url) }];
    });
  }

  return {
    keep() {
      const all = new Map([...wanted("ApiServerSource"), ...wanted("PingSource")]);
      for (const [key, source] of sources) {
        if (all.get(key)?.settings === source.settings) continue;
        source.stop();
        sources.delete(key);
      }
      for (const [key, { settings, sink, start }] of all) {
        if (sources.has(key)) continue;
        sources.set(key, { settings, sink, ...("url" in sink ? start(sink.url) : { stop: () => {} }) });
      }
    },
    get: (kind, key) => sources.get(`${kind} ${key}`),
  };
}
