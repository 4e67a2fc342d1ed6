import { parse, stringify } from "yaml";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/** Every other second; a tick must be over before the next one comes. */
const schedule = "*/2 * * * * *";
const tick = "1";
const everyTick = "2s";

type Template = { template: { spec: { containers: { env?: { name: string; value?: string }[] }[] } } };

/**
 * An object of `knative/` as it is installed where the sweep has to do everything: it comes every other second, and
 * every object has its resync each time. What does not concern the sweep stays as it is.
 */
export function sweptOften(object: KubernetesObject): KubernetesObject {
  if (object.kind === "PingSource") return { ...object, spec: { ...(object.spec as object), schedule } };
  if (object.kind === "ConfigMap") return withTurns(object, everyTick);
  if (object.kind !== "Service" || object.metadata.name !== "platform-sweep") return object;
  const sweep = structuredClone(object) as KubernetesObject & { spec: Template };
  for (const { env = [] } of sweep.spec.template.spec.containers)
    for (const variable of env) if (variable.name === "TICK") variable.value = tick;
  return sweep;
}

/**
 * An object of `knative/` as it is installed beside a Salt that has no reactor for this cluster: no event says that a
 * job has ended, and the sweep, which looks at what has fallen due, comes every minute instead of every five.
 */
export function sweptEachMinute(object: KubernetesObject): KubernetesObject {
  return object.kind === "PingSource"
    ? { ...object, spec: { ...(object.spec as object), schedule: "* * * * *" } }
    : object;
}

/**
 * The sweep's table with a resync of every object once in `every`, as an administrator patches it, in the rows of these
 * rules; another object as it is.
 */
export function withTurns(
  object: KubernetesObject,
  every: string,
  isMeant: (rule: string) => boolean = () => true,
): KubernetesObject {
  const { data } = object as KubernetesObject & { data?: { "table.yaml"?: string } };
  const table = data?.["table.yaml"];
  if (object.kind !== "ConfigMap" || table === undefined) return object;
  const rows = (parse(table) as { rule: string }[]).map((row) => (isMeant(row.rule) ? { ...row, every } : row));
  return { ...object, data: { ...data, "table.yaml": stringify(rows, { lineWidth: 0 }) } };
}
