import { type BinaryOperator, CesqlError, type Expression } from "./expression.ts";
import { lex, type Token } from "./lex.ts";
import { likePattern } from "./like.ts";

/**
 * How tightly the binary operators bind, in the order of the grammar: AND, OR and XOR share one level and group to the
 * right, so that `a AND b OR c` is `a AND (b OR c)`; NOT and minus bind tighter than everything, so that `NOT a = b` is
 * `(NOT a) = b`.
 */
const strength: Record<string, number> = {
  LIKE: 6,
  IN: 5,
  "*": 4,
  "/": 4,
  "%": 4,
  "+": 3,
  "-": 3,
  "=": 2,
  "!=": 2,
  "<": 2,
  "<=": 2,
  ">": 2,
  ">=": 2,
  AND: 1,
  OR: 1,
  XOR: 1,
};
const tightest = 7;

/**
 * Parses a CloudEvents SQL 1.0 expression; throws a {@link CesqlError} of kind `parse` that says where it went wrong.
 */
export function parse(expression: string): Expression {
  const tokens = lex(expression);
  let position = 0;
  const peek = (ahead = 0) => tokens[Math.min(position + ahead, tokens.length - 1)] as Token;
  const isSymbol = (text: string, ahead = 0) => peek(ahead).kind === "symbol" && peek(ahead).text === text;
  const next = () => {
    const token = peek();
    position++;
    return token;
  };
  const unexpected = (token: Token, wanted: string) => {
    const found = token.kind === "end" ? "the expression ends" : `found ${JSON.stringify(token.text)}`;
    return new CesqlError("parse", `Expected ${wanted} at character ${token.at + 1}, but ${found}.`);
  };
  const expect = (symbol: string) => {
    const token = next();
    if (token.kind !== "symbol" || token.text !== symbol) throw unexpected(token, `"${symbol}"`);
  };

  function list(): Expression[] {
    const items = [binary(1)];
    while (isSymbol(",")) {
      next();
      items.push(binary(1));
    }
    expect(")");
    return items;
  }

  function integer(token: Token): Expression {
    const value = Number(token.text);
    if (value < -(2 ** 31) || value > 2 ** 31 - 1) {
      throw new CesqlError("parse", `${token.text} at character ${token.at + 1} is no 32-bit integer.`);
    }
    return { node: "literal", value };
  }

  function primary(): Expression {
    const token = next();
    if (token.kind === "integer") return integer(token);
    if (token.kind === "string") return { node: "literal", value: token.text };
    if ((token.kind === "call" || /^[A-Za-z]+$/.test(token.text)) && token.kind !== "symbol" && isSymbol("(")) {
      next();
      if (!isSymbol(")")) return { node: "call", name: token.text.toUpperCase(), arguments: list() };
      next();
      return { node: "call", name: token.text.toUpperCase(), arguments: [] };
    }
    if (token.kind === "word") return { node: "attribute", name: token.text.toLowerCase() };
    if (token.kind === "symbol") {
      if (token.text === "TRUE" || token.text === "FALSE") return { node: "literal", value: token.text === "TRUE" };
      if (token.text === "NOT") return { node: "not", operand: binary(tightest) };
      if (token.text === "-") return { node: "negate", operand: binary(tightest) };
      if (token.text === "EXISTS") {
        const name = next();
        if (name.kind !== "word") throw unexpected(name, "the name of an attribute");
        return { node: "exists", name: name.text.toLowerCase() };
      }
      if (token.text === "(") {
        const inner = binary(1);
        expect(")");
        return inner;
      }
    }
    throw unexpected(token, "a value");
  }

  function suffix(left: Expression, operator: string): Expression {
    if (operator === "LIKE") {
      const token = next();
      if (token.kind !== "string") throw unexpected(token, "a string literal, the pattern of LIKE,");
      return { node: "like", operand: left, pattern: likePattern(token.text) };
    }
    expect("(");
    return { node: "in", operand: left, set: list() };
  }

  function binary(weakest: number): Expression {
    let left = primary();
    for (;;) {
      const negated = isSymbol("NOT");
      const token = peek(negated ? 1 : 0);
      const binds = token.kind === "symbol" ? (strength[token.text] ?? 0) : 0;
      if (binds < weakest || binds === 0) return left;
      const isSuffix = token.text === "LIKE" || token.text === "IN";
      if (negated && !isSuffix) return left;
      position += negated ? 2 : 1;
      if (isSuffix) {
        const test = suffix(left, token.text);
        left = negated ? { node: "not", operand: test } : test;
      } else {
        const right = binary(binds === 1 ? 1 : binds + 1);
        left = { node: "binary", operator: token.text as BinaryOperator, left, right };
      }
    }
  }

  const root = binary(1);
  if (peek().kind !== "end") throw unexpected(peek(), "an operator or the end");
  return root;
}
