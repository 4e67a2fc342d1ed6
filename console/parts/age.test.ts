import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Age } from "./age.tsx";

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2100-01-01T12:00:00Z") }));
afterEach(() => void vi.useRealTimers());

/** The text of a time, as a screen reader has it: attributes are none. */
const textOf = (at: string | undefined) => renderToStaticMarkup(createElement(Age, { at })).replace(/<[^>]*>/g, "");

test("a time can be read without a mouse, as people say it and exactly", () =>
  expect(textOf("2100-01-01T08:59:00Z")).toBe("3 hours ago (2100-01-01T08:59:00Z)"));

test("a time that is not there, or cannot be read, is shown as it is", () =>
  expect([textOf(undefined), textOf("soon")]).toEqual(["-", "soon"]));
