import { describe, expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import { CesqlError } from "./expression.ts";
import { parse } from "./parse.ts";

const event = {
  specversion: "1.0",
  id: "e1",
  source: "https://10.96.0.1:443",
  type: "dev.knative.apiserver.resource.update",
  kind: "Pod",
  namespace: "",
  sequence: "12",
  flag: "True",
};

/** The value of an expression, or the kind of its error. */
function outcome(expression: string): unknown {
  try {
    return evaluate(parse(expression), event);
  } catch (error) {
    if (error instanceof CesqlError) return `${error.kind} error`;
    throw error;
  }
}

const check = (cases: [expression: string, result: unknown][]) =>
  test.each(cases)("%s", (expression, result) => expect(outcome(expression)).toBe(result));

describe("literals", () =>
  check([
    ["TRUE", true],
    ["false", false],
    ["42", 42],
    ["-7", -7],
    ["+7", 7],
    ["'single'", "single"],
    ['"double"', "double"],
    ["'it\\'s'", "it's"],
    ["'say \"x\"'", 'say "x"'],
    ["'a\\\\b'", "a\\\\b"],
    ["2147483647", 2147483647],
    ["2147483648", "parse error"],
    ["-2147483649", "parse error"],
    ["'open", "parse error"],
  ]));

describe("attributes", () =>
  check([
    ["kind", "Pod"],
    ["KIND", "Pod"],
    ["namespace", ""],
    ["subject", "missingAttribute error"],
    ["true AND subject = ''", "missingAttribute error"],
    ["EXISTS subject", false],
    ["EXISTS namespace", true],
    ["EXISTS Kind", true],
    ["EXISTS 'kind'", "parse error"],
    ["EXISTS constructor", false],
    ["tostring", "missingAttribute error"],
  ]));

describe("logic", () =>
  check([
    ["TRUE AND FALSE", false],
    ["TRUE or FALSE", true],
    ["TRUE XOR TRUE", false],
    ["NOT flag", false],
    ["FALSE AND missing", false],
    ["TRUE OR missing", true],
    ["TRUE AND missing", "missingAttribute error"],
    ["'yes' AND TRUE", "cast error"],
    // One level for all three, grouped to the right: false AND (true OR true).
    ["FALSE AND TRUE OR TRUE", false],
    ["(FALSE AND TRUE) OR TRUE", true],
    // NOT binds tighter than anything: (NOT 0) = 1.
    ["NOT 0 = 1", true],
    ["NOT (0 = 1)", true],
    ["NOT EXISTS subject", true],
  ]));

describe("comparison casts the left operand to the type of the right one", () =>
  check([
    ["sequence = 12", true],
    ["sequence = '12'", true],
    ["12 = sequence", true],
    ["'012' = 12", true],
    ["'12' = 12", true],
    ["flag = TRUE", true],
    ["flag = 'TRUE'", false],
    ["kind = 3", "cast error"],
    ["kind != 'Node'", true],
    ["kind <> 'Pod'", false],
    ["sequence < 13", true],
    ["sequence >= '12'", true],
    ["'a' < 'b'", "cast error"],
    ["TRUE > FALSE", true],
  ]));

describe("arithmetic has 32 bits and truncates", () =>
  check([
    ["2 + 3 * 4", 14],
    ["(2 + 3) * 4", 20],
    ["7 / -2", -3],
    ["-7 % 3", -1],
    ["2147483647 + 1", -2147483648],
    ["65536 * 65536", 0],
    ["1 / 0", "math error"],
    ["1 % 0", "math error"],
    ["- sequence", -12],
    ["10 - 4 - 3", 3],
    // A sign right before digits belongs to the number.
    ["5-3", "parse error"],
    ["5 - 3", 2],
  ]));

describe("LIKE", () =>
  check([
    ["type LIKE 'dev.knative.%.update'", true],
    ["type NOT LIKE '%.delete'", true],
    ["kind LIKE '_od'", true],
    ["kind LIKE 'pod'", false],
    ["'a.c' LIKE 'abc'", false],
    ["'abc' LIKE 'a.c'", false],
    ["'a%c' LIKE 'a\\%c'", true],
    ["'abc' LIKE 'a\\%c'", false],
    ["'a_c' LIKE 'a\\_c'", true],
    ["'a\nc' LIKE 'a%'", true],
    ["sequence LIKE '1_'", true],
    ["12 LIKE '1%'", true],
    ["'' LIKE ''", true],
    ["kind LIKE kind", "parse error"],
    ["subject LIKE '%'", "missingAttribute error"],
  ]));

describe("IN casts the set to the type of the left operand", () =>
  check([
    ["kind IN ('Node', 'Pod')", true],
    ["kind NOT IN ('Node')", true],
    ["12 IN (sequence, 13)", true],
    ["sequence IN (12)", true],
    ["1 IN ('x')", "cast error"],
    ["kind IN ()", "parse error"],
  ]));

describe("functions", () =>
  check([
    ["INT('-5')", -5],
    ["INT(TRUE)", 1],
    ["INT('5.0')", "cast error"],
    ["INT(' 5')", "cast error"],
    ["BOOL('FALSE')", false],
    ["BOOL(2)", true],
    ["BOOL('1')", "cast error"],
    ["STRING(5)", "5"],
    ["IS_INT('5')", true],
    ["IS_INT('x')", false],
    ["IS_BOOL(1)", true],
    ["IS_BOOL('1')", false],
    ["ABS(-5)", 5],
    ["ABS(-2147483648)", "math error"],
    ["LENGTH(kind)", 3],
    ["CONCAT(kind, '-', 1)", "Pod-1"],
    ["CONCAT()", ""],
    ["CONCAT_WS('/', 'a', 'b', 'c')", "a/b/c"],
    ["CONCAT_WS('/')", ""],
    ["lower(kind)", "pod"],
    ["UPPER(kind)", "POD"],
    ["TRIM('  a ')", "a"],
    ["LEFT(kind, 2)", "Po"],
    ["LEFT(kind, 9)", "Pod"],
    ["LEFT(kind, -1)", "functionEvaluation error"],
    ["RIGHT(kind, 2)", "od"],
    ["RIGHT(kind, 0)", ""],
    ["SUBSTRING(kind, 2)", "od"],
    ["SUBSTRING(kind, -2)", "od"],
    ["SUBSTRING(kind, 0)", ""],
    ["SUBSTRING(kind, 4)", "functionEvaluation error"],
    ["SUBSTRING(kind, 1, 2)", "Po"],
    ["SUBSTRING(kind, 2, 9)", "od"],
    ["SUBSTRING(kind, 1, -1)", "functionEvaluation error"],
    ["LENGTH(kind, kind)", "missingFunction error"],
    ["NOSUCH(kind)", "missingFunction error"],
    ["constructor(kind)", "missingFunction error"],
  ]));

describe("what is no expression", () => {
  check([
    ["", "parse error"],
    ["kind =", "parse error"],
    ["kind = 'Pod' 'x'", "parse error"],
    ["(kind = 'Pod'", "parse error"],
    ["kind == 'Pod'", "parse error"],
    ["kind = 'Pod' && TRUE", "parse error"],
    ["AND", "parse error"],
    ["kind NOT 'Pod'", "parse error"],
    ["a_b", "parse error"],
  ]);

  test("says where it goes wrong", () => {
    expect(() => parse("kind = ")).toThrow("Expected a value at character 8, but the expression ends.");
    expect(() => parse("kind & id")).toThrow('Unexpected "&" at character 6.');
    expect(() => parse("kind LIKE id")).toThrow('the pattern of LIKE, at character 11, but found "id"');
  });
});
