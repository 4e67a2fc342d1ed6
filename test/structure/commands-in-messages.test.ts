import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

const verbs = "-n|annotate|create|delete|describe|edit|get|label|logs|patch";

/** What an administrator copies from a condition or an Event into a shell, with the character before it. */
const ofMessages = new RegExp(
  `(.?)\\b(?:kubectl (?:${verbs}) |openstack (?:--os|[a-z]+ )|linstor [a-z-]+ [a-z-]+ |drbdadm )`,
  "g",
);

/** A command of the command line's own messages without backticks, up to a full stop or a comma right behind it. */
const ofCommandLine = new RegExp(
  `(?<!\`)\\b(?:kubectl (?:${verbs})|holdfast (?:explain|replay|restore|status|uninstall)|helm [a-z]+|npm run)\\b` +
    // Its words, and values between them.
    `(?:[^\`"\\n]|"\\)?\\.concat\\([^"]*, ")*?[^.\`"\\n][.,;](?:["\\s]|\\\\n)`,
  "g",
);

/** The code of a file without comments: concatenated strings are one, and no backtick is of the code itself. */
function codeOf(file: string): string {
  const source = readFileSync(join(root, file), "utf8");
  return transformSync(source, { loader: "ts", minifySyntax: true, supported: { "template-literal": false } }).code;
}

const filesOf = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file));

test("in conditions and Events, a command stands between backticks, so that no full stop is copied with it", () => {
  const files = filesOf("{functions,shared}/**/*.ts");
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) =>
    [...codeOf(file).matchAll(ofMessages)].map(([text, before]) => ({ file, text, before })),
  );
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter(({ before }) => before !== "`")).toEqual([]);
});

test("what the command line prints has no full stop or comma right behind a command without backticks", () => {
  expect('"delete it, kubectl delete pvc data. Then"').toMatch(ofCommandLine);
  expect(filesOf("cli/**/*.ts").flatMap((file) => codeOf(file).match(ofCommandLine) ?? [])).toEqual([]);
});
