/**
 * As much of an API server as the release rule needs to judge a namespace: one claim that is being deleted, and as many
 * running pods as the namespace's name says (`pods-50000`), none of which uses it. A process of its own, so that it is
 * in no other figure. Lists are paged and compressed as the API server does.
 */
import { createServer, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { pod } from "../pods.ts";

createServer(({ url = "" }, response) => {
  const { pathname, searchParams } = new URL(url, "http://server");
  const [, , , , namespace = "", resource, name] = pathname.split("/");
  if (resource === "persistentvolumeclaims") {
    if (name) return answer(response, claim(namespace));
    const metadata = { resourceVersion: "5" };
    return answer(response, { kind: "PartialObjectMetadataList", metadata, items: [claim(namespace)] });
  }
  if (resource === "pods") {
    const total = Number(namespace.split("-")[1]);
    const from = Number(searchParams.get("continue") ?? 0);
    const limit = Number(searchParams.get("limit")) || total;
    return sendPage(
      response,
      namespace,
      Math.min(limit, total - from),
      from + limit < total ? from + limit : undefined,
    );
  }
  response.writeHead(404, { "content-type": "application/json" });
  response.end(JSON.stringify({ kind: "Status", code: 404, reason: "NotFound", message: `Nothing at ${pathname}.` }));
}).listen(Number(process.env.PORT));

function claim(namespace: string) {
  const finalizers = ["holdfast.dev/pvc-protection"];
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const metadata = { name: "data", namespace, uid: "c1", resourceVersion: "5", deletionTimestamp, finalizers };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata };
}

function answer(response: ServerResponse, value: unknown): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
}

/** The items of a page, compressed, by their number: compressing is most of the work, and pages need not differ. */
const compressed = new Map<number, Buffer>();

function sendPage(response: ServerResponse, namespace: string, count: number, next: number | undefined): void {
  let items = compressed.get(count);
  if (!items) {
    const pods = Array.from({ length: count }, (_, index) => {
      const names = { namespace, name: `web-${index}`, node: `node-${index % 100}`, claim: `data-web-${index}` };
      return pod({ ...names, bytes: 4000 + ((index * 37) % 4000) });
    });
    items = gzipSync(`"items":${JSON.stringify(pods)}}`, { level: 1 });
    compressed.set(count, items);
  }
  const metadata = { resourceVersion: "5", ...(next === undefined ? {} : { continue: String(next) }) };
  const head = gzipSync(`{"kind":"PodList","apiVersion":"v1","metadata":${JSON.stringify(metadata)},`, { level: 1 });
  response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
  // Two members of gzip are one text.
  response.end(Buffer.concat([head, items]));
}
