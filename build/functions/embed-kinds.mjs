import { pathToFileURL } from "node:url";

/**
 * Puts the kinds of all systems in the place of the console's `declared-kinds.ts`, which finds them by their folders: a
 * bundle has none.
 * @returns {import("esbuild").Plugin}
 */
export function embedKinds() {
  return {
    name: "embed kinds",
    setup(build) {
      build.onLoad({ filter: /[\\/]lib[\\/]console[\\/]declared-kinds\.ts$/ }, async ({ path }) => {
        const { declaredKinds } = await import(pathToFileURL(path).href);
        return { contents: `export const declaredKinds = async () => (${JSON.stringify(await declaredKinds())});` };
      });
    },
  };
}
