/**
 * Walks one event from `receive` to its patch, and counts through which files: an event that a pod is gone, which has
 * pvc-protection/release remove a finalizer. `own` counts the pipeline, the event and the rule; `all` also the helpers
 * and the client of Kubernetes, each of whose functions is a step. With `--files` it prints each step.
 */
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vitest/node";

const root = join(import.meta.dirname, "../..");

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: SyntaxNode;
  readonly [field: string]: unknown;
}

/** The source with a call at the beginning of each function, which says in which file it stands. */
function instrumented(source: string, file: string): string {
  const call = `globalThis.entered?.(${JSON.stringify(file)})`;
  const inserts: [number, string][] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, body } = node as SyntaxNode;
    if (/Function/.test(type ?? "") && body) {
      if (body.type === "BlockStatement") inserts.push([body.start + 1, `${call};`]);
      else inserts.push([body.start, `(${call}, `], [body.end, ")"]);
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(parseAst(source));
  return inserts
    .toSorted(([one], [other]) => other - one)
    .reduce((text, [at, insert]) => text.slice(0, at) + insert + text.slice(at), source);
}

registerHooks({
  load(url, context, next) {
    const file = url.startsWith("file:") ? relative(root, fileURLToPath(url)) : "";
    if (!/^(shared|functions)\/.*\.ts$/.test(file)) return next(url, context);
    const source = String(next(url, { ...context, format: "module-typescript" }).source);
    return { format: "module", shortCircuit: true, source: instrumented(stripTypeScriptTypes(source), file) };
  },
});

const { seededRandom } = await import("../../eventing/random.ts");
const { release } = await import("../../functions/pvc-protection/release/rule.ts");
const { createApiServer } = await import("../../local/apiserver/server.ts");
const { virtualClock } = await import("../../local/time/testing/virtual-clock.ts");
const { outcomeOf } = await import("../../local/time/testing/outcome-of.ts");
const { createClient } = await import("../../shared/kubernetes/client.ts");
const { Namespace, PersistentVolumeClaim } = await import("../../shared/kubernetes/kind.ts");
const { receive } = await import("../../shared/pipeline/receive.ts");
const { readSettings } = await import("../../shared/settings.ts");

const clock = virtualClock();
const server = createApiServer({ clock, random: seededRandom(1) });
const admin = createClient(server.handle, { clock });
const metadata = { namespace: "shop", name: "data", finalizers: ["holdfast.dev/pvc-protection"] };
const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
await admin.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } } as never);
await admin.create(PersistentVolumeClaim, {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata,
  spec,
} as never);
await admin.delete(PersistentVolumeClaim, "shop", "data");
// Kubernetes' own finalizer has left already.
await admin.patch(PersistentVolumeClaim, "shop", "data", "merge", { metadata: { finalizers: metadata.finalizers } });

const walk: string[] = [];
let isWalking = false;
(globalThis as { entered?: (file: string) => void }).entered = (file) => {
  if (isWalking && walk.at(-1) !== file) walk.push(file);
};
const client = createClient(
  async (request) => {
    if (request.method === "PATCH") isWalking = false;
    // What the API server does is no part of the walk.
    const was = isWalking;
    isWalking = false;
    const response = await server.handle(request);
    isWalking = was;
    return response;
  },
  { clock },
);
const log = { debug() {}, info() {}, warn() {}, error() {} };
const handle = receive(release, { client: () => client, clock, log, settings: readSettings(release.settings, {}) });
const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
const pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "web" }, spec: { volumes } };
const event = {
  "ce-specversion": "1.0",
  "ce-id": "1",
  "ce-source": "https://10.96.0.1:443",
  "ce-type": "dev.knative.apiserver.resource.delete",
  "ce-subject": "/apis/v1/namespaces/shop/pods/web",
  "ce-kind": "Pod",
  "ce-apiversion": "v1",
  "ce-name": "web",
  "ce-namespace": "shop",
  "content-type": "application/json",
};
isWalking = true;
const { status } = await outcomeOf(clock, handle({ headers: event, body: JSON.stringify(pod) }), 60_000);
server.close();
if (status !== 204 || isWalking) throw new Error(`The event was answered ${status}, and no patch was sent.`);

/** Files one after the other, and how often one of them comes that was left before. */
function countOf(files: readonly string[]) {
  const steps = files.filter((file, index) => file !== files[index - 1]);
  return { steps: steps.length, files: new Set(steps).size, returns: steps.length - new Set(steps).size };
}
const isOwn = (file: string) => /^(functions|shared\/(event|pipeline))\//.test(file);
if (process.argv.includes("--files")) for (const file of walk) console.log(file);
else console.log(JSON.stringify({ own: countOf(walk.filter(isOwn)), all: countOf(walk) }));
