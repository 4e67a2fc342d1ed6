import type { Clock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { Namespace } from "../../shared/kubernetes/kind.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import type { ApiServerSourcePlan } from "../manifest/api-server-source.ts";
import {
  type ApiServerSourceTools,
  type RunningApiServerSource,
  startApiServerSource,
} from "../source/api-server-source.ts";
import { missingPermissions } from "../source/permissions.ts";
import { type Reflection, reflect } from "../watch/reflect.ts";
import type { SourceStanding } from "./standing.ts";

/** Gives a source the identity of its ServiceAccount. */
export type Identify = (namespace: string, serviceAccount: string) => Transport;

export interface ManagedSourceOptions {
  readonly sink: string;
  /** Absent: the source watches with the tools' own identity, and no permissions are checked. */
  readonly identify?: Identify | undefined;
  /**
   * Begin again, with the gap that comes with it, when a namespace comes or goes, even where all of them are watched:
   * as the adapter of Knative does, whose list of namespaces is part of its Deployment. A source with a label selector
   * always does.
   */
  readonly rollOnNamespaces: boolean;
  /** Called when the standing has changed. */
  changed(): void;
}

/** An ApiServerSource with all that its controller does for it. */
export interface ManagedSource {
  standing(): SourceStanding;
  /** Resolves when every watch has begun for the first time. */
  readonly begun: Promise<void>;
  restart(downtime?: number): void;
  expire(): void;
  stop(): void;
}

/** Milliseconds until missing permissions are looked for again; doubled up to a minute. */
const firstRecheck = 1000;

/** Finds the namespaces, checks the permissions, runs the source, and begins again when the namespaces change. */
export function manageSource(
  plan: ApiServerSourcePlan,
  options: ManagedSourceOptions,
  tools: ApiServerSourceTools,
): ManagedSource {
  const { identify, rollOnNamespaces } = options;
  const ended = new AbortController();
  const signal = AbortSignal.any([tools.signal, ended.signal]);
  const all = plan.namespaceSelector === "";
  const begun = Promise.withResolvers<void>();
  const watcher = identify ? actingAs(identify(plan.namespace, plan.serviceAccount), tools) : tools;
  let life = new AbortController();
  let running: RunningApiServerSource | undefined;
  let standing: SourceStanding = { adapter: "starting" };

  const becomes = (change: Partial<SourceStanding>) => {
    standing = { ...standing, ...change };
    options.changed();
  };

  async function permitted(namespaces: readonly string[], stop: AbortSignal): Promise<void> {
    if (!identify || plan.failFast) return;
    for (let wait = firstRecheck; ; wait = Math.min(60_000, wait * 2)) {
      let missing: string | undefined;
      try {
        missing = await missingPermissions(tools.client, plan, namespaces);
      } catch (error) {
        missing = error instanceof Error ? error.message : String(error);
      }
      if (missing !== standing.missingPermissions) becomes({ missingPermissions: missing });
      if (missing === undefined) return;
      await tools.clock.sleep(wait, stop);
    }
  }

  async function begin(namespaces: readonly string[]): Promise<void> {
    life.abort(new Error("the source was stopped"));
    life = new AbortController();
    const stop = AbortSignal.any([signal, life.signal]);
    becomes({ adapter: "starting" });
    await permitted(namespaces, stop);
    if (stop.aborted) return;
    running = startApiServerSource(
      plan,
      {
        sink: options.sink,
        namespaces: all ? undefined : namespaces,
        report: (problem) => becomes({ adapter: problem === undefined ? "running" : { problem } }),
      },
      { ...tools, ...watcher, signal: stop },
    );
    void running.begun.then(() => begun.resolve());
  }

  function followNamespaces(labelSelector: string): Reflection {
    const namespaces = reflect({ ...tools, signal }, Namespace, { labelSelector, metadataOnly: true });
    let known: string | undefined;
    const look = () => {
      const names = namespaces
        .list()
        .map(({ metadata }) => metadata.name)
        .sort();
      const isFirst = known === undefined;
      if (known === names.join()) return;
      known = names.join();
      if (isFirst || !all || rollOnNamespaces) begin(names).catch(() => {});
    };
    void namespaces.synced.then(() => {
      look();
      namespaces.on((change) => change !== "update" && look());
    });
    return namespaces;
  }

  if (plan.namespaceSelector === undefined) begin([plan.namespace]).catch(() => {});
  else followNamespaces(plan.namespaceSelector);

  return {
    standing: () => standing,
    begun: begun.promise,
    restart: (downtime) => running?.restart(downtime),
    expire: () => running?.expire(),
    stop: () => ended.abort(new Error("the source was stopped")),
  };
}

function actingAs(transport: Transport, { clock }: { clock: Clock }): { transport: Transport; client: Client } {
  return { transport, client: createClient(transport, { clock }) };
}
