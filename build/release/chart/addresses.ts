import { Lines, type Tree, type TreeMap } from "./tree.ts";

/** The network policies with ports that are open to every address, and the value that names addresses instead. */
const values: Readonly<Record<string, string>> = { functions: "apiServer", "volume-to-salt": "salt" };

/** What the values `addresses` are called, in their order. */
export const addressNames: readonly string[] = Object.values(values);

/** A NetworkPolicy whose ports are open to the addresses that values name; to every address where they name none. */
export function withAddresses(tree: TreeMap): TreeMap {
  const spec = tree.spec as TreeMap;
  const { name } = tree.metadata as { name: string };
  if (!Array.isArray(spec.egress)) return tree;
  const egress = spec.egress.map((rule: Tree) => {
    const { to, ports } = rule as { to?: object; ports: readonly { port: number }[] };
    if (to) return rule;
    const value = values[name];
    if (!value) throw new Error(`No value of the chart names addresses for the NetworkPolicy ${name}.`);
    return new Lines([
      "- ports:",
      ...ports.map(({ port }) => `    - port: ${port}`),
      // --reuse-values brings the values of a chart that may not have had these.
      `  {{- with (index ($.Values.addresses | default dict) "${value}") }}`,
      "  to:",
      "    {{- range . }}",
      "    - ipBlock:",
      "        cidr: {{ . | quote }}",
      "    {{- end }}",
      "  {{- end }}",
    ]);
  });
  return { ...tree, spec: { ...spec, egress } };
}
