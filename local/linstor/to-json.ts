/** JSON with bigints as plain numbers of all their digits, as LINSTOR sends them. */
export function toJson(value: unknown): string {
  // In Node since 22; TypeScript's types do not have it yet.
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? rawJSON(String(part)) : part));
}
