// The API server's checks of names and keys, with its wording: each answers what is wrong, nothing when all is well.

const subdomain = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const part = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const value = `(${part})?`;

const whole = (expression: string) => new RegExp(`^(?:${expression})$`);
const patterns = {
  subdomain: whole(subdomain),
  label: whole(label),
  part: whole(part),
  value: whole(value),
};

const tooLong = (limit: number) => `must be no more than ${limit} bytes`;
const bytes = (text: string) => Buffer.byteLength(text);

/** Most object names: lower case letters, digits, `-` and `.`, at most 253 bytes. */
export function subdomainProblems(name: string): string[] {
  const problems = bytes(name) > 253 ? ["must be no more than 253 characters"] : [];
  if (!patterns.subdomain.test(name)) {
    problems.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
        `and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`,
    );
  }
  return problems;
}

/** Names of namespaces: a subdomain of one part, at most 63 bytes. */
export function labelProblems(name: string): string[] {
  const problems = bytes(name) > 63 ? [tooLong(63)] : [];
  if (patterns.label.test(name)) return problems;
  if (patterns.subdomain.test(name)) return [...problems, "must not contain dots"];
  return [
    ...problems,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
      `with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`,
  ];
}

/** Names that need only fit into a URL path, as roles have them: `system:discovery`. */
export function pathSegmentProblems(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((illegal) => name.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
}

/** Keys of labels and annotations, and finalizers: a name with an optional DNS prefix and `/`. */
export function qualifiedNameProblems(key: string): string[] {
  const parts = key.split("/");
  const rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const example = `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${part}')`;
  if (parts.length > 2) {
    return [
      `a valid label key ${rule} ${example} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? "";
  const problems: string[] = [];
  if (parts.length === 2) {
    if (parts[0] === "") problems.push("prefix part must be non-empty");
    else problems.push(...subdomainProblems(parts[0] ?? "").map((problem) => `prefix part ${problem}`));
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (bytes(name) > 63) problems.push(`name part ${tooLong(63)}`);
  if (!patterns.part.test(name)) problems.push(`name part ${rule} ${example}`);
  return problems;
}

/** Values of labels: empty, or at most 63 bytes. */
export function labelValueProblems(text: string): string[] {
  const problems = bytes(text) > 63 ? [tooLong(63)] : [];
  if (!patterns.value.test(text)) {
    problems.push(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
        "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', " +
        `regex used for validation is '${value}')`,
    );
  }
  return problems;
}
