import { on, toTemplate } from "./condition.ts";
import { absent, Choice, Expression, Text, type Tree, type TreeMap } from "./tree.ts";

/** The function with the setting by which an administrator leaves the claims of namespaces alone. */
const protect = "pvc-protection/protect";
const isSet = [on("settings", protect, "EXCLUDED_NAMESPACES")];
/** As the function reads its setting: names between commas, with spaces around them. */
const names = `{{ regexSplit "[,\\\\s]+" (${toTemplate(isSet)} | toString) -1 | compact | toJson }}`;

/**
 * The setting of the function alone would be of no use: the policy would add the finalizer to new claims, and the sweep
 * would send an event for each claim without it, with every tick. So both follow the setting.
 */
export function withExcludedNamespaces(tree: TreeMap, key: string): TreeMap {
  if (key.endsWith(" MutatingAdmissionPolicyBinding /pvc-protection.holdfast.dev")) {
    const matchExpressions = [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: new Expression(names) }];
    const matchResources = new Choice(isSet, { namespaceSelector: { matchExpressions } }, absent);
    return { ...tree, spec: { ...(tree.spec as TreeMap), matchResources } as TreeMap };
  }
  if (key.endsWith(" ConfigMap holdfast/holdfast-sweep-pvc-protection")) {
    const { "table.yaml": table, ...data } = tree.data as TreeMap;
    return { ...tree, data: { ...data, "table.yaml": inTable(table as Tree) as Tree } };
  }
  return tree;
}

/** In a table as it is with any of the choices. */
function inTable(table: Tree | typeof absent): Tree | typeof absent {
  if (table instanceof Choice) return new Choice(table.when, inTable(table.met), inTable(table.otherwise));
  if (typeof table !== "string") return table;
  const row = `- rule: ${protect}\n`;
  if (!table.includes(row)) throw new Error(`The sweep's table has no row of ${protect}.`);
  const lines = [`  {{- if ${toTemplate(isSet)} }}`, `  excludedNamespaces: ${names}`, "  {{- end }}"];
  return new Text(table.replaceAll(row, () => `${row}${lines.join("\n")}\n`));
}
