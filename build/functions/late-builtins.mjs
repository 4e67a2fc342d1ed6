import { isBuiltin } from "node:module";

/**
 * Node's own modules are loaded when something of them is first used, not when they are imported: express and the
 * client import cryptography, compression and DNS that most events never need. Importing `node:http` as an ES module is
 * worse still, because that reads every export, one of which loads all of undici: a third of the time to the first
 * event.
 * @returns {import("esbuild").Plugin}
 */
export function lateBuiltins() {
  return {
    name: "late builtins",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path }) =>
        isBuiltin(path) ? { path: path.replace(/^node:/, ""), namespace: "builtin" } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({ contents: late(`node:${path}`) }));
    },
  };
}

/** Every Node process has these loaded before it reaches a script. */
const present = ["node:buffer", "node:events", "node:path", "node:process", "node:timers", "node:url", "node:util"];

function late(/** @type {string} */ id) {
  const builtin = process.getBuiltinModule(id);
  // A module that is a function itself (assert, stream) cannot be stood in for by an object with getters.
  if (typeof builtin !== "object" || present.includes(id)) return `module.exports = process.getBuiltinModule("${id}");`;
  const getters = Object.getOwnPropertyNames(builtin)
    .filter((name) => name !== "default")
    .map((name) => `get ${JSON.stringify(name)}() { return load()[${JSON.stringify(name)}]; }`);
  return `
    let builtin;
    const load = () => builtin ??= process.getBuiltinModule("${id}");
    module.exports = { ${getters.join(", ")} };`;
}
