// Leaves out of a style sheet what no page uses.
import { parse } from "postcss";

/**
 * Classes that PatternFly's components know and the pages never use: tables fold at `md` alone, and only the masthead's
 * layout depends on the width. The tests of the pages in a browser fail on an element with one of them.
 */
export const unusedClasses = [
  /^pf-m-grid(-lg|-xl|-2xl)?$/,
  /^pf-m-(?!display-).*-on-(sm|md|lg|xl|2xl)$/,
  /^pf-m-(floating|horizontal-subnav|nested-column-header|sticky|vertical)/,
  /alert-group|breadcrumb|compass|docked|drawer|inline-edit|label-group|notification|tree-view/,
  /theme-(felt|glass|high-contrast)/,
];

/**
 * The rules of a style sheet whose classes scripts name, with the variables that these rules use.
 * @param {string} css
 * @param {readonly string[]} scripts
 */
export function usedStyles(css, scripts) {
  const words = new Set(scripts.flatMap((script) => script.match(/[\w-]+/g) ?? []));
  const isUsed = (/** @type {string} */ name) => words.has(name) && !unusedClasses.some((unused) => unused.test(name));
  const sheet = parse(css);
  sheet.walkRules((rule) => {
    const used = rule.selectors.filter((selector) => classesOf(selector).every(isUsed));
    if (used.length > 0) rule.selectors = used;
    else rule.remove();
  });
  // A variable may be used by the value of another one alone.
  for (let isDone = false; !isDone; ) {
    isDone = true;
    /** @type {Set<string>} */
    const read = new Set();
    sheet.walkDecls(({ value }) => {
      for (const [, name = ""] of value.matchAll(/var\((--[\w-]+)/g)) read.add(name);
    });
    sheet.walkDecls(/^--/, (declaration) => {
      if (read.has(declaration.prop)) return;
      declaration.remove();
      isDone = false;
    });
  }
  return sheet.toString();
}

/**
 * The classes that an element must have, or one around it. What `:not()` holds, it must not have; of a list, one.
 * @param {string} selector
 * @returns {readonly string[]}
 */
function classesOf(selector) {
  const plain = selector.replace(/:([\w-]+)\(([^()]*)\)/, (_, name, held) =>
    /^(is|where)$/.test(name) && !held.includes(",") ? held : "",
  );
  return plain === selector ? (selector.match(/(?<=\.)[a-z][\w-]*/gi) ?? []) : classesOf(plain);
}
