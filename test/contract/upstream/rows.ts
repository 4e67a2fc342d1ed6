import type { LabelSelector, Labels } from "../../../shared/kubernetes/label-selector.ts";
import type { Labelled, NodeSelector } from "../../../shared/kubernetes/node-selector.ts";
import type { Requirement } from "../../../shared/kubernetes/requirement.ts";
import type { Taint, Toleration } from "../../../shared/kubernetes/toleration.ts";

/** What is asked of Kubernetes' own code and of ours. */
export type Row =
  | { readonly selector: LabelSelector; readonly labels: Labels }
  | { readonly nodeSelector: NodeSelector; readonly node: Labelled }
  | { readonly toleration: Toleration; readonly taint: Taint }
  | { readonly quantities: readonly [string, string] };

const largest = "9223372036854775807";
const numbers = ["5", "05", "-5", "5.5", "5a", "", largest, "9223372036854775808", "-9223372036854775808"];

const requirements: readonly Requirement[] = [
  { key: "a", operator: "In", values: ["x"] },
  { key: "a", operator: "In", values: ["x", "", "y"] },
  { key: "a", operator: "In", values: [""] },
  { key: "a", operator: "In", values: [] },
  { key: "a", operator: "NotIn", values: ["x"] },
  { key: "a", operator: "NotIn", values: [""] },
  { key: "a", operator: "NotIn", values: [] },
  { key: "a", operator: "Exists" },
  { key: "a", operator: "Exists", values: ["x"] },
  { key: "a", operator: "DoesNotExist" },
  { key: "example.com/a", operator: "Exists" },
  { key: "", operator: "Exists" },
  { key: "a", operator: "Near", values: ["x"] },
  { key: "a", operator: "" },
];
const comparisons = ["Gt", "Lt"].flatMap((operator): readonly Requirement[] => [
  ...numbers.map((value) => ({ key: "a", operator, values: [value] })),
  { key: "a", operator, values: ["1", "2"] },
  { key: "a", operator, values: [] },
]);
const labelled: readonly Labels[] = [
  {},
  { b: "x" },
  { "example.com/a": "x" },
  ...["x", "y", "X", ...numbers].map((a) => ({ a })),
];

const selectors: readonly LabelSelector[] = [
  {},
  { matchLabels: {} },
  { matchExpressions: [] },
  { matchLabels: { a: "x" } },
  { matchLabels: { a: "" } },
  { matchLabels: { a: "x", b: "x" } },
  { matchLabels: { a: "x" }, matchExpressions: [{ key: "b", operator: "DoesNotExist" }] },
  ...requirements.map((one) => ({ matchExpressions: [one] })),
];

const nodes: readonly Labelled[] = [...labelled.map((labels) => ({ name: "node-1", labels })), { name: "x" }];
const field = (operator: string, ...values: readonly string[]) => ({ key: "metadata.name", operator, values });
const isX: Requirement = { key: "a", operator: "In", values: ["x"] };
const nodeSelectors: readonly NodeSelector[] = [
  { nodeSelectorTerms: [] },
  { nodeSelectorTerms: [{}] },
  { nodeSelectorTerms: [{ matchExpressions: [], matchFields: [] }] },
  { nodeSelectorTerms: [{}, { matchExpressions: [isX] }] },
  { nodeSelectorTerms: [{ matchExpressions: [isX, { key: "b", operator: "DoesNotExist" }] }] },
  { nodeSelectorTerms: [{ matchExpressions: [isX] }, { matchExpressions: [{ key: "b", operator: "Exists" }] }] },
  { nodeSelectorTerms: [{ matchFields: [field("In", "node-1")] }] },
  { nodeSelectorTerms: [{ matchFields: [field("NotIn", "node-1")] }] },
  { nodeSelectorTerms: [{ matchFields: [field("In", "node-1", "node-2")] }] },
  { nodeSelectorTerms: [{ matchFields: [field("Exists")] }] },
  { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.uid", operator: "In", values: ["a"] }] }] },
  { nodeSelectorTerms: [{ matchExpressions: [isX], matchFields: [field("In", "x")] }] },
  { nodeSelectorTerms: [{ matchExpressions: [isX], matchFields: [field("In", "node-1")] }] },
  ...[...requirements, ...comparisons].map((one) => ({ nodeSelectorTerms: [{ matchExpressions: [one] }] })),
];

const taints: readonly Taint[] = ["NoSchedule", "NoExecute"].flatMap((effect) => [
  { key: "a", effect },
  { key: "a", value: "x", effect },
  { key: "b", value: "5", effect },
]);
const tolerations: readonly Toleration[] = [undefined, "", "NoSchedule", "NoExecute"].flatMap((effect) =>
  [undefined, "", "Exists", "Equal", "Gt", "Near"].flatMap((operator) =>
    [undefined, "", "a", "b"].flatMap((key) =>
      [undefined, "", "x", "4"].map((value) => ({
        ...(effect === undefined ? {} : { effect }),
        ...(operator === undefined ? {} : { operator }),
        ...(key === undefined ? {} : { key }),
        ...(value === undefined ? {} : { value }),
      })),
    ),
  ),
);

// Ours takes none without a digit, which the API server takes for 0.
const quantities = [
  ...["0", "-0", "1", "+1", "-1", ".5", "5.", "0.5", "500m", "1e3", "1E3", "1k", "1000", "1Ki", "1024", "1.5Gi"],
  ...["1536Mi", "1n", "1u", "1M", "1e6", "1Ei", "1E", "0x10", "1 Gi", "1gi", "abc", "--1", "1e", "100e-2"],
];

/** Every pair: each selector with each set of labels, and so on. */
export const rows: readonly Row[] = [
  ...selectors.flatMap((selector) => labelled.map((labels) => ({ selector, labels }))),
  ...nodeSelectors.flatMap((nodeSelector) => nodes.map((node) => ({ nodeSelector, node }))),
  ...tolerations.flatMap((toleration) => taints.map((taint) => ({ toleration, taint }))),
  ...quantities.flatMap((one) => quantities.map((other) => ({ quantities: [one, other] as const }))),
];
