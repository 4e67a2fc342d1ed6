import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { builtSite } from "./site.ts";

const { folder, pages } = await builtSite();
const htmlOf = new Map(pages.map(({ url }) => [url, readFileSync(join(folder, url), "utf8")]));
const idsOf = (url: string) => new Set([...(htmlOf.get(url) ?? "").matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
const ids = new Map([...htmlOf.keys()].map((url) => [url, idsOf(url)]));

test("no link of the site is dead, and none needs a network but to leave the site", () => {
  const dead = [...htmlOf].flatMap(([from, html]) =>
    [...html.matchAll(/ (?:href|src)="([^"]+)"/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !link.startsWith("https://"))
      .filter((link) => {
        const [path = "", anchor] = link.split("#");
        const to = path ? posix.normalize(posix.join(posix.dirname(from), path)) : from;
        if (to.startsWith("assets/")) return false;
        if (to.endsWith(".png")) return !existsSync(join(folder, to));
        return anchor ? !ids.get(to)?.has(anchor) : !ids.has(to);
      })
      .map((link) => `${from}: ${link}`),
  );
  expect(pages.length).toBeGreaterThan(100);
  expect(dead).toEqual([]);
});

test("each page has one heading of the first level, and none leaves a level out", () => {
  const wrong = [...htmlOf].flatMap(([url, html]) => {
    const levels = [...html.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
    const skips = levels.some((level, at) => level > (levels[at - 1] ?? 0) + 1);
    return skips || levels.filter((level) => level === 1).length !== 1 ? [`${url}: ${levels.join(" ")}`] : [];
  });
  expect(wrong).toEqual([]);
});

test("a line break in a cell of a table is one, and not its mark-up", () => {
  const shown = [...htmlOf]
    .filter(([url]) => !url.startsWith("source/"))
    .filter(([, html]) => html.includes("&lt;br&gt;"));
  expect(shown.map(([url]) => url)).toEqual([]);
  expect(htmlOf.get("functions/satellite/document.html")).toContain("<br>");
});
