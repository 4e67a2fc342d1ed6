import { stringify } from "yaml";
import { here } from "../../functions/platform/sweep/table.ts";
import type { Declared } from "./declared.ts";
import { familyOf } from "./families.ts";
import type { Patch } from "./kustomization.ts";
import { metadataOf } from "./metadata.ts";
import { settingsOf } from "./settings.ts";
import { functionRef } from "./triggers.ts";

/** The function that gives every object that needs a look an event of its own. */
export const sweepFunction = "platform/sweep";

const legend = `# What the sweep looks for, a row per rule and kind. Edit it by a patch, for example to name another finalizer (when), to
# look at every object more often (every, 1h when absent), or to leave namespaces out (excludedNamespaces). In a sink,
# {namespace} stands for the namespace that the sweep runs in.
`;

/** The root of the brokers' addresses, which are told apart by path. */
export type Ingress = `http://${string}`;

/** Where channel-based brokers take events. */
const channelIngress: Ingress = "http://broker-ingress.knative-eventing.svc.cluster.local";

/** Where brokers of Kafka take events. */
export const kafkaIngress: Ingress = "http://kafka-broker-ingress.knative-eventing.svc.cluster.local";

/**
 * The sweep's table, as a ConfigMap: what each rule wants looked for when its events were lost. The brokers are in the sweep's own
 * namespace, wherever an overlay moves both, unless it is said which.
 */
export function sweepTable(
  sweep: Declared,
  functions: readonly Declared[],
  ingress = channelIngress,
  namespace: string = here,
) {
  const rows = functions.flatMap(({ name, sweep = [] }) =>
    sweep.map(({ kind: { apiVersion, kind, plural, namespaced }, when }) => ({
      rule: name,
      apiVersion,
      kind,
      resource: plural,
      ...(namespaced ? {} : { namespaced }),
      when,
      sink: `${ingress}/${namespace}/${familyOf({ apiVersion, kind, plural, namespaced })}`,
    })),
  );
  const name = settingsOf(sweep).find(({ variable }) => variable === "TABLE")?.value;
  if (!name) throw new Error(`${sweep.name} has no setting that names its table.`);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataOf(sweep.name, name),
    data: { "table.yaml": `${legend}${stringify(rows, { lineWidth: 0 })}` },
  };
}

/** The patch by which the sweep's events go elsewhere; none where there is no sweep. */
export function sweepTablePatch(
  functions: readonly Declared[],
  ingress: Ingress,
  namespace?: string,
): readonly Patch[] {
  const sweep = functions.find(({ name }) => name === sweepFunction);
  if (!sweep) return [];
  const { metadata, data } = sweepTable(sweep, functions, ingress, namespace);
  const patch = [{ op: "replace", path: "/data/table.yaml", value: data["table.yaml"] }] as const;
  return [{ target: { kind: "ConfigMap", name: metadata.name }, patch }];
}

/** What wakes the sweep. An event that it misses is not made up for, and need not be: the next minute has its own. */
export function sweepSource({ name }: Declared): object {
  return {
    apiVersion: "sources.knative.dev/v1",
    kind: "PingSource",
    metadata: metadataOf(name, "sweep"),
    spec: { schedule: "* * * * *", sink: { ref: functionRef(name) } },
  };
}
