import { readFile } from "node:fs/promises";

/**
 * Leaves the classes that client-node has for each group of the Kubernetes API unread. No code uses them here, so that
 * nothing of them would stay in a bundle anyway; but they are 13 MB, and reading them takes longer than all the rest of
 * bundling.
 * @returns {import("esbuild").Plugin}
 */
export function withoutApiClasses() {
  return {
    name: "without API classes",
    setup(build) {
      // It imports all others, and client-node only passes its own on.
      build.onLoad({ filter: /\/client-node\/dist\/gen\/types\/ObjectParamAPI\.js$/ }, async ({ path }) => {
        const classes = (await readFile(path, "utf8")).matchAll(/^export class (\w+)/gm);
        return { contents: Array.from(classes, ([, name]) => `export class ${name} {}`).join("\n") };
      });
    },
  };
}
