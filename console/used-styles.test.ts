import { expect, test } from "vitest";
import { usedStyles } from "./used-styles.mjs";

test.each([
  [".a{color:red}", ".a{color:red}"],
  [".a,.b{color:red}", ".a{color:red}"],
  [".a .b{color:red}", ""],
  [".a:not(.b){color:red}", ".a:not(.b){color:red}"],
  [":where(:not(.b)) .a{color:red}", ":where(:not(.b)) .a{color:red}"],
  [":root:where(.b){color:red}", ""],
  [":is(.b,.a) p{color:red}", ":is(.b,.a) p{color:red}"],
  [".pf-m-grid{color:red}", ""],
  ["h1{color:red}", "h1{color:red}"],
  ["@keyframes turn{50.5%{color:red}}", "@keyframes turn{50.5%{color:red}}"],
  [":root{--a: 1;--b: var(--a);--c: 2}p{width:var(--b)}", ":root{--a: 1;--b: var(--a)}p{width:var(--b)}"],
  [":root{--a: 1;--b: var(--a)}p{width:0}", ":root{}p{width:0}"],
  ["@keyframes turn{50%{width:var(--a)}}:root{--a: 1}", "@keyframes turn{50%{width:var(--a)}}:root{--a: 1}"],
])("of the style sheet %s, scripts that name the classes a and pf-m-grid use: %s", (css, used) => {
  expect(usedStyles(css, ['element("a"); other("pf-m-grid")'])).toBe(used);
});
