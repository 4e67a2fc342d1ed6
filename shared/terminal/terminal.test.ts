import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { terminal } from "./terminal.ts";
import { wrap } from "./wrap.ts";

/** A terminal of 40 columns with colours, and what was written to it. */
function colourful() {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), {
    ...{ isTTY: true, columns: 40, getColorDepth: () => 8, hasColors: () => true },
  });
  const out = terminal(stream as unknown as NodeJS.WriteStream);
  return { ...out, written: (): string => stream.read() };
}

test.each([
  ["ESC, which begins a command", "\u001b[2J", "\\u001b[2J"],
  ["the C1 form of the same", "\u009b2J", "\\u009b2J"],
  ["BEL and a carriage return", "a\u0007\rb", "a\\u0007\\u000db"],
  ["an override of the direction", "a\u202eb\u2066c", "a\\u202eb\\u2066c"],
  ["a character without a width", "a\u200bb\ufeff", "a\\u200bb\\ufeff"],
  ["other letters, a tab and a line's end", "é漢😀\t\n", "é漢😀\t\n"],
])("%s in a text from outside is shown, whether it is painted or not", (_, text, shown) => {
  const { paint, print, written } = colourful();
  print(`${paint("red", text)}|${text}`);
  expect(written()).toBe(`\u001b[31m${shown}\u001b[39m|${shown}\n`);
});

test("a text from outside that has the codes of a painted text gets no colour", () => {
  const { paint, print, written } = colourful();
  const stolen = "\u001b[32mok\u001b[39m";
  print(wrap(`${paint("red", "stuck")} ${stolen}`, 0));
  expect(written()).toBe("\u001b[31mstuck\u001b[39m \\u001b[32mok\\u001b[39m\n");
});

test("colours take no columns of a wrapped line", () => {
  const { paint, print, width, written } = colourful();
  const words = "x".repeat(30);
  print(wrap(`${paint("bold", "Not known:")} ${words.slice(11)} ${"y".repeat(9)}`, 0, width));
  expect(written().split("\n")).toHaveLength(2);
});
