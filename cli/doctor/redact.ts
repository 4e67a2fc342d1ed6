/** What is put in the place of what must not leave a cluster. */
const mask = "[left out]";

const patterns: readonly (readonly [RegExp, string])[] = [
  // A JSON Web Token, as service accounts and Keystone have.
  [/\beyJ[\w-]{8,}\.[\w-]{4,}(\.[\w-]+)?/g, mask],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${mask}`],
  // Fernet tokens of Keystone.
  [/\bgAAAA[\w-]{20,}={0,2}/g, mask],
  [/-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----/g, mask],
  [/(:\/\/)[^\s/@:"]*:[^\s/@"]*@/g, `$1${mask}@`],
  // Also inside JSON that stands in a JSON text, whose quotes have backslashes before them.
  [/((?:password|passwd|token|secret|api[-_]?key|credential)s?\\*"?\s*[:=]\s*\\*"?)[^\s"',}\\]{3,}/gi, `$1${mask}`],
];

/** A text without what looks like a credential, and without these values, which are known to be secret. */
export function redact(text: string, secret: readonly string[]): string {
  const known = secret.filter(({ length }) => length >= 4).toSorted((a, b) => b.length - a.length);
  const bare = known.reduce((rest, value) => rest.replaceAll(value, mask), text);
  return patterns.reduce((rest, [pattern, instead]) => rest.replaceAll(pattern, instead), bare);
}
