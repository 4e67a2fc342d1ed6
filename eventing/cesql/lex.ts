import { CesqlError } from "./expression.ts";

/** One token of a CESQL expression. */
export interface Token {
  kind: "integer" | "string" | "word" | "call" | "symbol" | "end";
  /** Keywords and symbols in upper case, names as written, strings without their quotes. */
  text: string;
  /** Offset in the expression, for messages. */
  at: number;
}

/** Reserved whatever their case: an attribute of such a name cannot be addressed. */
const keywords = new Set(["AND", "OR", "XOR", "NOT", "LIKE", "EXISTS", "IN", "TRUE", "FALSE"]);

// The longest alternative wins, as in the grammar: a sign right before digits belongs to the number, so `a-1` is two
// operands.
const pattern =
  /(?<space>[ \t\r\n]+)|(?<string>"(?:\\.|""|[^"\\])*"|'(?:\\.|''|[^'\\])*')|(?<underscored>[A-Za-z]+(?:_[A-Za-z_]*))|(?<integer>[+-]\d+|\d+(?![A-Za-z0-9]))|(?<word>[A-Za-z0-9]+)|(?<symbol><>|!=|>=|<=|[=<>(),*/%+-])/suy;

/**
 * Cuts an expression into tokens; throws a {@link CesqlError} of kind `parse` at the first character that fits nowhere.
 */
export function lex(expression: string): Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < expression.length) {
    const at = pattern.lastIndex;
    const groups = pattern.exec(expression)?.groups;
    if (!groups) {
      throw new CesqlError("parse", `Unexpected ${JSON.stringify(expression[at])} at character ${at + 1}.`);
    }
    const { string, underscored, integer, word, symbol } = groups;
    if (string !== undefined) tokens.push({ kind: "string", text: unquote(string), at });
    else if (integer !== undefined) tokens.push({ kind: "integer", text: integer, at });
    else if (symbol !== undefined) tokens.push({ kind: "symbol", text: symbol === "<>" ? "!=" : symbol, at });
    else if (underscored !== undefined) tokens.push({ kind: "call", text: underscored, at });
    else if (word !== undefined) {
      const upper = word.toUpperCase();
      tokens.push(keywords.has(upper) ? { kind: "symbol", text: upper, at } : { kind: "word", text: word, at });
    }
  }
  tokens.push({ kind: "end", text: "the end", at: expression.length });
  return tokens;
}

/** Only the delimiting quote is unescaped; every other backslash stays, for LIKE needs it. */
function unquote(literal: string): string {
  const quote = literal[0] as string;
  return literal.slice(1, -1).replaceAll(`\\${quote}`, quote);
}
