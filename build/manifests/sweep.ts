import { stringify } from "yaml";
import type { Declared } from "./declared.ts";
import { familyOf } from "./families.ts";
import { metadataOf, namespace } from "./metadata.ts";
import { settingsOf } from "./settings.ts";
import { functionRef } from "./triggers.ts";

/** The function that gives every object that needs a look an event of its own. */
export const sweepFunction = "platform/sweep";

const legend = `# What the sweep looks for, a row per rule and kind. Edit it by a patch, for example to name another finalizer (when), to
# look at every object more often (every, 1h when absent), or to leave namespaces out (excludedNamespaces).
`;

/** The sweep's table, as a ConfigMap: what each rule wants looked for when its events were lost. */
export function sweepTable(sweep: Declared, functions: readonly Declared[]): object {
  const rows = functions.flatMap(({ name, sweep = [] }) =>
    sweep.map(({ kind: { apiVersion, kind, plural, namespaced }, when }) => ({
      rule: name,
      apiVersion,
      kind,
      resource: plural,
      ...(namespaced ? {} : { namespaced }),
      when,
      sink: ingressOf(familyOf({ apiVersion, kind, plural, namespaced })),
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

/** What wakes the sweep. An event that it misses is not made up for, and need not be: the next minute has its own. */
export function sweepSource({ name }: Declared): object {
  return {
    apiVersion: "sources.knative.dev/v1",
    kind: "PingSource",
    metadata: metadataOf(name, "sweep"),
    spec: { schedule: "* * * * *", sink: { ref: functionRef(name) } },
  };
}

/** Where a channel-based broker takes events: one address for all brokers, told apart by path. */
const ingressOf = (broker: string) => `http://broker-ingress.knative-eventing.svc.cluster.local/${namespace}/${broker}`;
