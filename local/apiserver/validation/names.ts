import { isLabelKey, isLabelValue } from "../../../shared/kubernetes/label-syntax.ts";

const label = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";

/** A check of a text: it answers what is wrong, nothing when all is well. */
type Check = (text: string) => string[];

const check = (expression: string, mostBytes: number, what: string): Check => {
  const pattern = new RegExp(`^(?:${expression})$`);
  return (text) =>
    Buffer.byteLength(text) <= mostBytes && pattern.test(text)
      ? []
      : [`must be ${what}, of at most ${mostBytes} bytes`];
};

/** Most object names: lower case letters, digits, `-` and `.`. */
export const subdomainProblems = check(`${label}(?:\\.${label})*`, 253, "a lower case DNS subdomain (RFC 1123)");

/** Names of namespaces: a subdomain of one part. */
export const labelProblems = check(label, 63, "a lower case DNS label (RFC 1123)");

/** Values of labels, which may be empty. */
export const labelValueProblems: Check = (text) => (isLabelValue(text) ? [] : [`must be at most 63 ${signs}`]);

/** Keys of labels and annotations, and finalizers: a name with an optional DNS prefix and `/`. */
export const qualifiedNameProblems: Check = (key) =>
  isLabelKey(key) ? [] : [`must be at most 63 ${signs}, behind a lower case DNS subdomain and '/' if it has a prefix`];

const signs = "letters, digits, '-', '_' and '.', with a letter or a digit at the ends";

/** Names that need only fit into a URL path, as roles have them: `system:discovery`. */
export const pathSegmentProblems: Check = (name) =>
  name === "." || name === ".." || /[/%]/.test(name) ? ["may not be '.' or '..', nor contain '/' or '%'"] : [];
