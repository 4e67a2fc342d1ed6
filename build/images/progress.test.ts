import { expect, test } from "vitest";
import { progressOn } from "./progress.ts";

function stream(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { written, stream: { isTTY, columns, write } as unknown as NodeJS.WriteStream };
}

test("at a terminal every line replaces the one before, none is wider than the terminal, and nothing stays", () => {
  const { written, stream: terminal } = stream(true, 10);
  const { show, end } = progressOn(terminal);
  show("one");
  show("a line that is too long");
  end();
  expect(written).toEqual(["\r\x1b[Kone", "\r\x1b[Ka line th", "\r\x1b[K"]);
});

test("what must be known stays", () => {
  const { written, stream: terminal } = stream(true);
  const { show, warn, end } = progressOn(terminal);
  show("one");
  warn("look");
  show("two");
  end();
  expect(written).toEqual(["\r\x1b[Kone", "\r\x1b[Kholdfast: look\n", "\r\x1b[Ktwo", "\r\x1b[K"]);
});

test("a pipe gets only what must be known, and no control characters", () => {
  const { written, stream: pipe } = stream(false);
  const { show, warn, end } = progressOn(pipe);
  show("one");
  warn("look");
  end();
  expect(written.join("")).toBe("holdfast: look\n");
});
