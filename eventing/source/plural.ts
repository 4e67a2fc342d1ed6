/**
 * The resource name that Knative guesses for a kind: lower case plus s, es or ies. Nothing is looked up, so a kind with
 * an irregular plural cannot be watched.
 */
export function guessPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith("endpoints")) return singular;
  if (singular.endsWith("s")) return `${singular}es`;
  if (singular.endsWith("y")) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
