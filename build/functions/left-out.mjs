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
  "stream-buffers": "functions run nothing inside containers",
  "tar-fs": "functions copy no files from and to containers",
  "thread-stream": "the log goes to standard output, not to a transport in a thread",
  undici: "requests go out as shared/kubernetes/kubeconfig-transport.ts says",
  ws: "functions run nothing inside containers",
  // A file of client-node, not a package.
  "ObjectSerializer.js": "objects are read and written as JSON, without models that would drop unknown fields",
};

/** What does nothing in its place. */
const empty = {
  // Express' traces for `DEBUG=express:*`: the log says what a function did.
  debug: "const off = () => {}; off.enabled = false; module.exports = () => off;",
  // client-node's list of all models of the Kubernetes API, which it only passes on.
  "models/all.js": "export {};",
};

/** What OpenTelemetry's SDK for Node imports for what its variables may ask for, and functions do not offer. */
const leftOutOfTelemetry = Object.fromEntries(
  [
    ...["trace", "metrics", "logs"].map((signal) => `exporter-${signal}-otlp-grpc`),
    ...["exporter-logs-otlp-http", "exporter-logs-otlp-proto", "exporter-prometheus", "exporter-zipkin"],
  ].map((name) => [`@opentelemetry/${name}`, "traces and metrics are sent over http/protobuf or http/json"]),
);

/**
 * @returns {import("esbuild").Plugin}
 */
export function leaveOut() {
  return {
    name: "leave out",
    setup(build) {
      for (const [name, contents] of Object.entries(empty)) replace(build, name, contents);
      for (const [name, because] of Object.entries(leftOut)) replace(build, name, refusing(name, because));
    },
  };
}

/**
 * @returns {import("esbuild").Plugin}
 */
export function leaveOutOfTelemetry() {
  return {
    name: "leave out of telemetry",
    setup(build) {
      // It changes modules as they are loaded, which is not asked for.
      replace(build, "@opentelemetry/instrumentation", "export const registerInstrumentations = () => {};");
      for (const [name, because] of Object.entries(leftOutOfTelemetry)) replace(build, name, refusing(name, because));
    },
  };
}

/**
 * A package by its name, a file by the end of its path.
 * @param {import("esbuild").PluginBuild} build
 * @param {string} name
 * @param {string} contents
 */
function replace(build, name, contents) {
  const filter = new RegExp(name.endsWith(".js") ? `/${name.replaceAll(".", "\\.")}$` : `^${name}$`);
  const namespace = `left out: ${name}`;
  build.onResolve({ filter }, () => ({ path: name, namespace }));
  build.onLoad({ filter: /.*/, namespace }, () => ({ contents }));
}

/** What ES modules import from them by name, which has to be there. */
const names = {
  "ObjectSerializer.js": ["ObjectSerializer"],
  "stream-buffers": ["ReadableStreamBuffer", "WritableStreamBuffer"],
  undici: ["Agent", "ProxyAgent", "fetch"],
  "@opentelemetry/exporter-trace-otlp-grpc": ["OTLPTraceExporter"],
  "@opentelemetry/exporter-metrics-otlp-grpc": ["OTLPMetricExporter"],
  "@opentelemetry/exporter-logs-otlp-grpc": ["OTLPLogExporter"],
  "@opentelemetry/exporter-logs-otlp-http": ["OTLPLogExporter"],
  "@opentelemetry/exporter-logs-otlp-proto": ["OTLPLogExporter"],
  "@opentelemetry/exporter-prometheus": ["PrometheusExporter"],
  "@opentelemetry/exporter-zipkin": ["ZipkinExporter"],
};

/**
 * Properties may be taken from it, and classes derived, as is done while others are loaded; calling it, or them, is
 * refused.
 * @param {string} name
 * @param {string} because
 */
function refusing(name, because) {
  const message = `${name} is left out of functions' bundles, because ${because}: see build/functions/left-out.mjs.`;
  const exported = /** @type {Record<string, string[]>} */ (names)[name] ?? [];
  return `
    function refuse() { throw new Error(${JSON.stringify(message)}); }
    for (const name of ${JSON.stringify(exported)}) refuse[name] = refuse;
    module.exports = new Proxy(refuse, { get: (_, name) => (name === "__esModule" ? undefined : refuse) });`;
}
