/** What a registry asks for when it says 401. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By name in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const token = String.raw`[\w!#$%&'*+.^|~\x60-]+`;
const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const parameter = new RegExp(String.raw`^[\s,]*(${token})\s*=\s*(${token}|${quoted})`);
const scheme = new RegExp(String.raw`^[\s,]*(${token})(?=\s|,|$)`);
/** Credentials of the form that takes no parameters. */
const token68 = /^\s*[\w.~+/-]+=*(?=\s*(?:,|$))/;

/**
 * Reads a `WWW-Authenticate` header, which may hold several challenges (RFC 9110, 11.6.1). What cannot be read ends it.
 */
export function parseChallenges(header: string): readonly Challenge[] {
  const challenges: Challenge[] = [];
  let rest = header;
  const take = (pattern: RegExp) => {
    const match = pattern.exec(rest);
    if (match) rest = rest.slice(match[0].length);
    return match;
  };
  for (;;) {
    const name = take(scheme)?.[1];
    if (name === undefined) return challenges;
    const parameters: Record<string, string> = {};
    for (let match = take(parameter); match; match = take(parameter)) {
      const [, key = "", value = ""] = match;
      parameters[key.toLowerCase()] = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value;
    }
    if (Object.keys(parameters).length === 0) take(token68);
    challenges.push({ scheme: name.toLowerCase(), parameters });
  }
}
