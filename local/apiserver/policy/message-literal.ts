/**
 * Rewrites the message literals of a CEL expression as map literals: `Object.spec{replicas: 3}` becomes
 * `{"replicas": 3}`. Admission policies build their results with messages, which the CEL library does not parse. In CEL
 * nothing but a message is a name followed by a brace, and within one every name before a colon that follows `{` or `,`
 * is a field, so the rewriting needs no more than the tokens.
 */
export function withoutMessages(expression: string): string {
  const tokens = [...expression.matchAll(token)].map(([text]) => text);
  const open: ("message" | "other")[] = [];
  const written: string[] = [];
  for (const [index, text] of tokens.entries()) {
    if (text === "{") open.push(takeName(written) ? "message" : "other");
    else if (text === "(" || text === "[") open.push("other");
    else if (text === ")" || text === "]" || text === "}") open.pop();
    const isField = open.at(-1) === "message" && name.test(text) && startsEntry(written) && next(tokens, index) === ":";
    written.push(isField ? JSON.stringify(text.replaceAll("`", "")) : text);
  }
  return written.join("");
}

const token =
  /\/\/[^\n]*|\s+|[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?''')|[rR][bB]?(?:"[^"\n]*"|'[^'\n]*')|[bB]?(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|`[^`\n]*`|[A-Za-z_]\w*|\d[\w.]*|[\s\S]/g;
const name = /^(?:[A-Za-z_]\w*|`[^`]*`)$/;
const blank = /^(?:\s+|\/\/.*)$/;
const reserved = new Set(["in", "true", "false", "null"]);

/** Takes the message's name, with its dots, off the end of what is written; `false` when there is none. */
function takeName(written: string[]): boolean {
  let end = written.length;
  let found = false;
  while (true) {
    while (blank.test(written[end - 1] ?? "")) end--;
    const last = written[end - 1] ?? "";
    if (!name.test(last) || reserved.has(last)) break;
    found = true;
    end--;
    if (written[end - 1] !== ".") break;
    end--;
  }
  if (found) written.length = end;
  return found;
}

function startsEntry(written: readonly string[]): boolean {
  const last = written.findLast((text) => !blank.test(text));
  return last === "{" || last === ",";
}

const next = (tokens: readonly string[], index: number) => tokens.slice(index + 1).find((text) => !blank.test(text));
