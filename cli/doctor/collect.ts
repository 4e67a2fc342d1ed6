import type { Client } from "../../shared/kubernetes/client.ts";
import { Event, type Kind, Pod } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import { listServed } from "../../shared/uninstall/list-served.ts";
import { readOrNote } from "../cluster/read-or-note.ts";
import type { InstalledFunction } from "../rules/installed-functions.ts";
import type { Condition } from "../status/functions.ts";
import { statusOf } from "../status/status.ts";

interface Conditioned extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface Workload extends Conditioned {
  readonly spec?: {
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly {
          readonly name?: string;
          readonly image?: string;
          readonly env?: readonly { readonly name: string }[];
          readonly resources?: object;
        }[];
      };
    };
  };
}

interface RecordedEvent extends KubernetesObject {
  readonly reason?: string;
  readonly type?: string;
  readonly note?: string;
  readonly eventTime?: string | null;
  readonly reportingController?: string;
  readonly regarding?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
}

/** What a bug report is made from. Values of environment variables, ConfigMaps and Secrets are not in it. */
export interface Bundle {
  readonly holdfast: string;
  readonly kubernetes: unknown;
  readonly status: object;
  readonly functions: readonly object[];
  readonly declarations: readonly object[];
  readonly objects: readonly object[];
  readonly events: readonly object[];
  readonly logs: Readonly<Record<string, readonly string[]>>;
  readonly gaps: readonly string[];
}

/** What it takes to collect. */
export interface Sources {
  readonly client: Client;
  readonly namespace: string;
  readonly functions: ReadonlyMap<string, InstalledFunction> | undefined;
  readonly rules: readonly Rule[];
  readonly now: number;
  readonly version: string;
  /** The last lines that a container has logged. @throws ApiError */
  readonly readLog: (pod: string, container: string) => Promise<readonly string[]>;
}

/** Reads all that a bug report takes, as far as the user may; nothing is written. @throws ApiError */
export async function collect(sources: Sources): Promise<Bundle> {
  const { client, namespace, functions, rules, now, version } = sources;
  const gaps: string[] = [];
  const { gaps: unread, ...status } = await statusOf(client, namespace, functions, rules, now);
  gaps.push(...unread);
  const installed = functions ? rules.filter(({ name }) => functions.has(slug(name))) : rules;
  return {
    holdfast: version,
    kubernetes: await readOrNote(gaps, "The version of Kubernetes", () => client.request("GET", "/version")),
    status,
    functions: [...(functions?.values() ?? [])].map(({ object }) => functionOf(object as Workload)),
    declarations: installed.map(declarationOf),
    objects: await objectsOf(client, installed, gaps),
    events: (await readOrNote(gaps, "Events", () => eventsOf(client))) ?? [],
    logs: await logsOf(sources, gaps),
    gaps,
  };
}

/** A function's Service or Deployment, with the names of its variables and without their values. */
function functionOf({ apiVersion, kind, metadata, spec, status }: Workload): object {
  const { name, generation, creationTimestamp } = metadata;
  const containers = (spec?.template?.spec?.containers ?? []).map(({ name, image, env = [], resources }) => ({
    name,
    image,
    variables: env.map((one) => one.name),
    resources,
  }));
  return { apiVersion, kind, name, generation, creationTimestamp, containers, conditions: status?.conditions ?? [] };
}

const declarationOf = ({ name, triggers, sweep, steps = {}, systems = {}, finalizers = [] }: Rule) => ({
  name,
  triggers: triggers.map(({ kind, changes, signal }) => `${kind.kind} ${signal ?? changes.join(" ")}`),
  sweep: sweep.map(({ kind, every }) => `${kind.kind}${every ? ` every ${every}` : ""}`),
  steps: Object.keys(steps),
  systems: Object.keys(systems),
  finalizers: finalizers.map(({ finalizer }) => finalizer),
});

const ourPrefix = /^(holdfast\.dev|.*\.holdfast\.dev)\//;

/** The objects on which rules have written something: what they have written, who holds them, and their conditions. */
async function objectsOf(client: Client, rules: readonly Rule[], gaps: string[]): Promise<readonly object[]> {
  const kinds = new Map<string, Kind>();
  for (const { kind } of rules.flatMap(({ sweep }) => sweep)) kinds.set(`${kind.apiVersion} ${kind.kind}`, kind);
  const found: object[] = [];
  for (const kind of kinds.values())
    await readOrNote(gaps, `What is written on ${kind.plural}`, async () => {
      for await (const object of listServed<Conditioned>(client, kind)) {
        const { annotations = {}, finalizers, deletionTimestamp, labels = {} } = object.metadata;
        const written = Object.entries(annotations).filter(([key]) => ourPrefix.test(key));
        if (written.length === 0) continue;
        found.push({
          object: describe(referenceTo(object)),
          uid: object.metadata.uid,
          ...(deletionTimestamp ? { deletionTimestamp } : {}),
          finalizers: finalizers ?? [],
          annotations: Object.fromEntries(written),
          labels: Object.fromEntries(Object.entries(labels).filter(([key]) => ourPrefix.test(key))),
          conditions: object.status?.conditions ?? [],
        });
      }
    });
  return found;
}

/** The Events that functions have recorded, in all namespaces. */
async function eventsOf(client: Client): Promise<readonly object[]> {
  const events: object[] = [];
  for await (const event of client.list<RecordedEvent>(Event)) {
    const { reason, type, note, eventTime, reportingController, regarding } = event;
    if (reportingController?.startsWith("holdfast.dev/"))
      events.push({ eventTime, type, reason, note, regarding, reportingController });
  }
  return events;
}

/** What the pods of functions have logged, by pod and container. */
async function logsOf({ client, namespace, readLog }: Sources, gaps: string[]): Promise<Bundle["logs"]> {
  const logs: Record<string, readonly string[]> = {};
  await readOrNote(gaps, "Which pods there are", async () => {
    const labelSelector = "app.kubernetes.io/part-of=holdfast";
    type Contained = KubernetesObject & { spec?: { containers?: readonly { name: string }[] } };
    for await (const { metadata, spec } of client.list<Contained>(Pod, { namespace, labelSelector }))
      for (const { name: container } of spec?.containers ?? []) {
        const what = `The log of ${metadata.name}, container ${container},`;
        const lines = await readOrNote(gaps, what, () => readLog(metadata.name, container));
        if (lines) logs[`${metadata.name} ${container}`] = lines;
      }
  });
  return logs;
}
