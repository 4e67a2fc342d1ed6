// The `index.mjs` of every bundle: runs the function's scripts, each with the code cache that was baked beside it.
//
// Node's own compile cache is made before a script has run, so it lacks the functions that V8 compiles when they are
// first called, which is most of what a cold start executes. A cache made after the first event has them: a start takes
// about a fifth less time. V8 refuses a cache of another version, of other flags, or of a source of another length
// (names of scripts carry a hash of what they were built from), and then simply compiles.
const { readFileSync } = process.getBuiltinModule("node:fs");
const { Script } = process.getBuiltinModule("node:vm");

/** @type {Map<string, { exports: unknown }>} */
const modules = new Map();

/**
 * What a script of this folder exports; run when first asked for.
 * @param {string} name
 */
function load(name) {
  const known = modules.get(name);
  if (known) return known.exports;
  const filename = `${import.meta.dirname}/${name}`;
  // The bundler escapes everything outside ASCII, and this is the faster way to read that.
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData: readCache(`${filename}.cache`) });
  const module = { exports: {} };
  modules.set(name, module);
  script.runInThisContext()(module, module.exports, resolve);
  return module.exports;
}

/** @param {string} filename */
function readCache(filename) {
  try {
    return readFileSync(filename);
  } catch {
    return undefined;
  }
}

/** @param {string} id */
function resolve(id) {
  if (id.startsWith("./")) return load(id.slice(2));
  const builtin = process.getBuiltinModule(id);
  if (builtin) return builtin;
  throw new Error(`The bundle has no module ${id}, and Node has none of that name.`);
}

load("function.cjs");
