/** What Go's JSON decoder calls a value: the word of its "cannot unmarshal ... into" messages. */
export function goTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
