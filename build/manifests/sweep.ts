import { Scalar, stringify } from "yaml";
import { here, tableLabel } from "../../functions/platform/sweep/table.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { pollSignal } from "../../shared/rule.ts";
import { type Declared, systemOf } from "./declared.ts";
import { familyOf } from "./families.ts";
import type { Patch } from "./kustomization.ts";
import { metadataOf } from "./metadata.ts";
import { settingsOf } from "./settings.ts";
import { functionRef } from "./triggers.ts";

/** The function that gives every object that needs a look an event of its own. */
export const sweepFunction = "platform/sweep";

// Without quotation marks: see quoted().
const legend = `# What the sweep looks for, a row per rule and kind. Edit it by a patch, for example to name another
# finalizer (when), to resync every object more often (every, 6h when absent), or to leave namespaces out
# (excludedNamespaces). A row with listed: false is only there to send dead-lettered events again. In a sink,
# {namespace} stands for the namespace that the sweep runs in.
`;

const emptyLegend = `# Rows of your own. Each system that is installed has its own table, which the sweep finds
# by a label: kubectl get configmaps -n holdfast -l holdfast.dev/sweep-table
`;

/** The root of the brokers' addresses, which differ by path. */
export type Ingress = `http://${string}`;

/** Where channel-based brokers take events. */
const channelIngress: Ingress = "http://broker-ingress.knative-eventing.svc.cluster.local";

/** Where brokers of Kafka take events. */
export const kafkaIngress: Ingress = "http://kafka-broker-ingress.knative-eventing.svc.cluster.local";

/**
 * The ConfigMap of the sweep itself, which notes on it how far it has come: its table has no row, because each system
 * brings a table with its own rows, which is there only where the system is.
 */
export function sweepTable(sweep: Declared) {
  const name = settingsOf(sweep).find(({ variable }) => variable === "TABLE")?.value;
  if (!name) throw new Error(`${sweep.name} has no setting that names its table.`);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataOf(sweep.name, name),
    data: { "table.yaml": `${emptyLegend}[]\n` },
  };
}

/** What rules want looked for, as rows of the table; last, what only triggers them. */
function sweepRows(functions: readonly Declared[], ingress: Ingress, namespace: string): readonly object[] {
  const rowOf = (rule: string, kind: Kind, more: object) => ({
    rule,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    resource: kind.plural,
    ...(kind.namespaced ? {} : { namespaced: false }),
    ...more,
    sink: `${ingress}/${namespace}/${familyOf(kind)}`,
  });
  const wanted = functions.flatMap(({ name, sweep = [] }) =>
    sweep.map(({ kind, alone, when, ...more }) =>
      rowOf(name, kind, {
        ...(when ? { when: quoted(when) } : {}),
        ...more,
        ...(alone ? { signal: pollSignal(name) } : {}),
      }),
    ),
  );
  const resent = functions.flatMap((one) =>
    unswept(one, functions).map((kind) => rowOf(one.name, kind, { listed: false })),
  );
  return [...wanted, ...resent];
}

/**
 * The kinds that trigger a rule, and of which no rule of its system wants anything looked for. A row of another system
 * does not count: that system need not be installed.
 */
function unswept({ triggers = [] }: Declared, functions: readonly Declared[]): readonly Kind[] {
  const keyOf = ({ apiVersion, kind }: Kind) => `${apiVersion} ${kind}`;
  const looked = functions.flatMap(({ sweep = [] }) => sweep.flatMap(({ kind, alone }) => (alone ? [] : keyOf(kind))));
  const kinds = new Map(triggers.map(({ kind }) => [keyOf(kind), kind]));
  return [...kinds].flatMap(([key, kind]) => (looked.includes(key) ? [] : [kind]));
}

/** The finalizer alone is in quotation marks: by them kustomize finds what an overlay replaces in a table. */
const quoted = (when: object) =>
  Object.fromEntries(
    Object.entries(when).map(([key, finalizer]) => {
      const scalar = new Scalar(finalizer);
      scalar.type = Scalar.QUOTE_DOUBLE;
      return [key, scalar];
    }),
  );

/**
 * The rows of a system, in a ConfigMap that the sweep finds by its label. The brokers are in the sweep's own namespace,
 * wherever an overlay moves both, unless it is said which.
 */
export function systemTable(
  system: string,
  functions: readonly Declared[],
  ingress = channelIngress,
  namespace: string = here,
) {
  const { labels, ...metadata } = metadataOf(`${system}/sweep`, `holdfast-sweep-${system}`);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...metadata, labels: { ...labels, [tableLabel]: "true" } },
    data: { "table.yaml": `${legend}${stringify(sweepRows(functions, ingress, namespace), { lineWidth: 0 })}` },
  };
}

/** The systems whose rules are triggered, or want anything looked for, with their functions. */
export const sweptSystems = (functions: readonly Declared[]): ReadonlyMap<string, readonly Declared[]> =>
  Map.groupBy(
    functions.filter(({ triggers = [], sweep = [] }) => triggers.length > 0 || sweep.length > 0),
    systemOf,
  );

/** The patches by which the sweep's events go elsewhere; of a system that is not installed nothing is to be patched. */
export function systemTablePatches(
  functions: readonly Declared[],
  ingress: Ingress,
  namespace?: string,
): readonly Patch[] {
  return [...sweptSystems(functions)].map(([system, members]) => {
    const { metadata, data } = systemTable(system, members, ingress, namespace);
    const patch = [{ op: "replace", path: "/data/table.yaml", value: data["table.yaml"] }] as const;
    return { target: { kind: "ConfigMap", name: metadata.name }, patch };
  });
}

/** From one tick of the sweep to the next. */
export const minutesBetweenTicks = 5;

/**
 * What triggers the sweep. A tick that it misses is not made up for, and need not be: there is the next one. Each costs
 * a pod that lives for most of a minute (docs/numbers.md), which is why there are not more of them.
 */
export function sweepSource({ name }: Declared): object {
  return {
    apiVersion: "sources.knative.dev/v1",
    kind: "PingSource",
    metadata: metadataOf(name, "sweep"),
    spec: { schedule: `*/${minutesBetweenTicks} * * * *`, sink: { ref: functionRef(name) } },
  };
}
