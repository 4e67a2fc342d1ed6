import { expect, test } from "vitest";
import { parseLabelSelector } from "./label-selector.ts";

const labels = { a: "b", "x.dev/tier": "3", empty: "" };

test.each([
  ["", true],
  ["a", true],
  ["!a", false],
  ["q", false],
  ["!q", true],
  ["a=b", true],
  ["a==b", true],
  ["a = c", false],
  ["a!=b", false],
  ["q!=b", true],
  ["a in (b,c)", true],
  ["a in (c)", false],
  ["a notin (c)", true],
  ["q notin (c)", true],
  ["empty=", true],
  ["empty in (,z)", true],
  ["q in ()", false],
  ["x.dev/tier>2", true],
  ["x.dev/tier<3", false],
  ["a>1", false],
  ["a=b,!q,x.dev/tier", true],
  ["a=b,q", false],
  ["in in (in)", false],
])("%s", (text, selected) => {
  expect(parseLabelSelector(text)(labels)).toBe(selected);
});

// Wording of kube-apiserver 1.36.3.
test.each([
  ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ["a in (x", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a>=1", "unable to parse requirement: found '=', expected: identifier"],
  [
    "a>x",
    `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, ` +
      "the value must be an integer",
  ],
  ["a,", "found '', expected: identifier after ','"],
  [",", "found ',', expected: !, identifier, or 'end of string'"],
  ["()", "found '(', expected: !, identifier, or 'end of string'"],
  ["!", "unable to parse requirement: found '', expected: identifier"],
  ["!a=b", "found '=', expected: ',' or 'end of string'"],
  ["a=b c", "found 'c', expected: ',' or 'end of string'"],
  [
    "-a=b",
    'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric ' +
      "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName', " +
      " or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
  [
    "a=-b",
    'unable to parse requirement: values[0][a]: Invalid value: "-b": ' +
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
      "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', " +
      "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
])("%s is refused", (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(message);
});
