import { globSync } from "node:fs";
import { join } from "node:path";

/**
 * Puts a list of the rules and systems that there are in the place of `cli/rules/modules.ts`, which finds them by their
 * folders: the packed program has none.
 * @param {string} functions the folder of the functions
 * @returns {import("esbuild").Plugin}
 */
export function embedDeclarations(functions) {
  return {
    name: "embed declarations",
    setup(build) {
      build.onLoad({ filter: /[\\/]cli[\\/]rules[\\/]modules\.ts$/ }, () => {
        const files = globSync(["*/*/rule.ts", "*/system.ts"], { cwd: functions }).sort();
        const entries = files.map((file) => {
          const name = file.split(/[\\/]/).slice(0, -1).join("/");
          return `[${JSON.stringify(name)}, () => import(${JSON.stringify(join(functions, file))})]`;
        });
        return { contents: `export const modules = new Map([${entries.join(",\n")}]);`, resolveDir: functions };
      });
    },
  };
}
