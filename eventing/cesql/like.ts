/** The regular expression for a pattern of LIKE: `%` any characters, `_` one character, `\%` and `\_` themselves. */
export function likePattern(pattern: string): RegExp {
  let source = "";
  for (const [part] of pattern.matchAll(/\\[%_]|[\s\S]/gu)) {
    if (part === "%") source += "[\\s\\S]*";
    else if (part === "_") source += "[\\s\\S]";
    else source += literal(part.length === 2 && part[0] === "\\" ? (part[1] as string) : part);
  }
  return new RegExp(`^${source}$`, "u");
}

const literal = (character: string) => character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
