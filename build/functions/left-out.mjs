/**
 * Packages that others import and no function ever runs, with the reason. Their place in the bundles is taken by a
 * stand-in that costs nothing and throws when it is called after all. A test walks every path of an event through the
 * bundle.
 * @type {Readonly<Record<string, string>>}
 */
const leftOut = {
  accepts: "events are answered without content negotiation (with it went negotiator and mime-db)",
  "body-parser":
    "bodies are read by shared/serve/read-body.ts (with it went iconv-lite, half a megabyte of code pages)",
  "content-disposition": "functions send no files",
  cookie: "functions set no cookies",
  "cookie-signature": "functions set no cookies",
  "json-bigint":
    "events are parsed by shared/event/read-hint.ts; integers of Kubernetes objects are left to JSON.parse",
  "mime-types": "the content type of an answer is set as it is (with it went mime-db)",
  qs: "no function has query parameters",
  send: "functions send no files",
  "serve-static": "functions send no files",
  "thread-stream": "the log goes to standard output, not to a transport in a thread",
};

/** Express' traces for `DEBUG=express:*`: the log says what a function did. */
const silenced = ["debug"];

/**
 * @returns {import("esbuild").Plugin}
 */
export function leaveOut() {
  return {
    name: "leave out",
    setup(build) {
      const named = [...Object.keys(leftOut), ...silenced].join("|");
      build.onResolve({ filter: new RegExp(`^(?:${named})$`) }, ({ path }) => ({
        path,
        namespace: silenced.includes(path) ? "silenced" : "left-out",
      }));
      build.onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({ contents: refusing(path) }));
      build.onLoad({ filter: /.*/, namespace: "silenced" }, () => ({ contents: silent }));
    },
  };
}

const silent = `
  const off = () => {};
  off.enabled = false;
  module.exports = () => off;`;

/** Properties may be taken from it, because express takes them when it is loaded; calling it, or them, is refused. */
function refusing(/** @type {string} */ name) {
  const message = `${name} is left out of the bundles of functions, because ${leftOut[name]}: see build/functions/left-out.mjs.`;
  return `
    const refuse = () => { throw new Error(${JSON.stringify(message)}); };
    module.exports = new Proxy(refuse, { get: (_, name) => (name === "__esModule" ? undefined : refuse) });`;
}
