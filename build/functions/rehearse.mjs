// Runs a bundled function through its first events and writes the code cache of each of its scripts.
//   node rehearse.mjs FOLDER [AS [FLAG...]]
// Stack traces name the scripts as they were named here, so AS is the folder that they will be in. FLAGs are given to
// V8 before the caches are written.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import vm from "node:vm";
import * as kinds from "../../shared/kubernetes/kind.ts";

const [folder = "", as = folder, ...flags] = process.argv.slice(2);

// The starter takes its Script from here.
/** @type {Map<string, vm.Script>} */
const scripts = new Map();
const { Script } = vm;
vm.Script = class extends Script {
  constructor(/** @type {string} */ source, /** @type {vm.ScriptOptions & { filename: string }} */ options) {
    // Copied, because a part of a string goes into the cache together with the whole string.
    const filename = Buffer.from(`${as}/${basename(options.filename)}`).toString();
    super(source, { ...options, filename, cachedData: undefined });
    scripts.set(options.filename, this);
  }
};

const temporary = mkdtempSync(join(tmpdir(), "holdfast-rehearsal-"));
process.on("exit", () => rmSync(temporary, { recursive: true, force: true }));
// By a signal alone a process ends without that.
process.once("SIGINT", () => process.exit(130));

const api = await emptyCluster();
process.env.KUBECONFIG = join(temporary, "kubeconfig");
writeFileSync(process.env.KUBECONFIG, kubeconfigOf(api.port));
process.env.LOG_LEVEL = "error";
process.env.PORT = String(await freePort());
const listening = firstListening();
await import(pathToFileURL(join(folder, "index.mjs")).href);
// Not by trying: every failed try would leave traces in the cache, and no two of them would be alike.
await listening;

// A running pod's update, which ends most functions' part at once, and then all that may make one look: events in
// Reference mode, which say nothing about the object.
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "a" }, spec: { nodeName: "a" } };
await post(kinds.Pod, "resource.update", JSON.stringify({ ...pod, status: { phase: "Running" } }));
for (const kind of Object.values(kinds)) {
  if (typeof kind === "function") continue;
  for (const change of ["add", "update", "delete"]) await post(kind, `ref.${change}`);
}

for (const flag of flags) setFlagsFromString(flag);
for (const [filename, script] of scripts) writeFileSync(`${filename}.cache`, script.createCachedData());
process.exit();

/** An API server without any objects. */
async function emptyCluster() {
  const list = { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "1" }, items: [] };
  const absent = { apiVersion: "v1", kind: "Status", code: 404, reason: "NotFound", message: "There is nothing here." };
  const server = createServer(({ headers }, response) => {
    const wantsList = headers.accept?.includes("List") || headers.accept === "application/json";
    response.writeHead(wantsList ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(wantsList ? list : absent));
  });
  return { port: await listen(server) };
}

/** @param {number} port */
function kubeconfigOf(port) {
  const cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
  return JSON.stringify({
    clusters: [{ name: "a", cluster }],
    users: [{ name: "a", user: { token: "a" } }],
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    "current-context": "a",
  });
}

/** @param {import("node:http").Server} server */
async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}

async function freePort() {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * @param {import("../../shared/kubernetes/kind.ts").Kind} kind
 * @param {string} type
 */
async function post({ apiVersion, kind, namespaced }, type, body = "") {
  const headers = {
    "content-type": "application/json",
    "ce-specversion": "1.0",
    "ce-id": type,
    "ce-source": "rehearsal",
    "ce-type": `dev.knative.apiserver.${type}`,
    "ce-apiversion": apiVersion,
    "ce-kind": kind,
    "ce-name": "a",
    ...(namespaced ? { "ce-namespace": "a" } : {}),
  };
  const sending = request({ port: process.env.PORT, method: "POST", headers }).end(body);
  const [response] = await once(sending, "response");
  const answer = (await response.setEncoding("utf8").toArray()).join("");
  if (response.statusCode !== 500) return;
  // A part that was left out and is needed after all would otherwise show in a cluster only.
  console.error(answer);
  process.exit(1);
}

/** Resolves when the next server of this process takes connections. */
function firstListening() {
  const { listen } = Server.prototype;
  return new Promise((resolve) => {
    Server.prototype.listen = function (/** @type {any[]} */ ...options) {
      this.once("listening", resolve);
      return listen.apply(this, /** @type {any} */ (options));
    };
  });
}
