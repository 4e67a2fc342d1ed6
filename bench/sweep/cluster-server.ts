/**
 * As much of a cluster as the sweep needs: under `/100000` the API server of a cluster with so many claims, listed as
 * metadata alone, page by page and compressed, with the sweep's table and the broker of its rows. Claims are what
 * claims of a real cluster are, none of them being deleted, and all but every sixtieth protected: what gives them
 * events is that they are not. A process of its own, so that no other figure contains it. `/100000/asked` answers how
 * much was asked for since it was asked last.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Asked } from "./measure.ts";

const asked = new Map<string, Asked>();
const nothing: Asked = { pages: 0, json: 0, bytes: 0, events: 0 };

createServer(({ url = "", headers, method }, response) => {
  const { pathname, searchParams } = new URL(url, "http://server");
  const [, cluster = "", ...path] = pathname.split("/");
  const count = (more: Partial<Asked>) => {
    const sofar = asked.get(cluster) ?? nothing;
    const fields = Object.keys(nothing) as (keyof Asked)[];
    const sums = fields.map((field) => [field, sofar[field] + (more[field] ?? 0)]);
    asked.set(cluster, Object.fromEntries(sums));
  };
  switch (path.at(-1)) {
    case "broker":
      count({ events: 1 });
      return void response.writeHead(202).end();
    case "asked":
      answer(response, asked.get(cluster) ?? nothing);
      return void asked.delete(cluster);
    case "holdfast-sweep":
      return answer(response, table(`http://${headers.host}/${cluster}/broker`, method));
    // No optional system has brought a table along.
    case "configmaps":
      return answer(response, { kind: "ConfigMapList", metadata: { resourceVersion: "5" }, items: [] });
    case "persistentvolumeclaims": {
      if (!headers.accept?.includes("as=PartialObjectMetadataList")) return refuse(response, 406, pathname);
      // Nothing waits.
      if (searchParams.has("labelSelector")) return answer(response, { metadata: { resourceVersion: "5" }, items: [] });
      const page = pageOf(
        Number(cluster),
        Number(searchParams.get("continue") ?? 0),
        Number(searchParams.get("limit")),
      );
      count({ pages: 1, json: page.json, bytes: page.sent.length });
      return sendCompressed(response, page.sent);
    }
  }
  return refuse(response, 404, pathname);
}).listen(Number(process.env.PORT));

interface Page {
  /** Bytes before it was compressed. */
  readonly json: number;
  readonly sent: Buffer;
}

const pages = new Map<string, Page>();

function pageOf(claims: number, from: number, limit: number): Page {
  const key = `${claims} ${from} ${limit}`;
  let page = pages.get(key);
  if (!page) {
    const to = Math.min(claims, from + (limit || claims));
    const items = Array.from({ length: to - from }, (_, index) => claim(from + index));
    const metadata = { resourceVersion: "5", ...(to < claims ? { continue: String(to) } : {}) };
    const list = { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata, items };
    const text = JSON.stringify(list);
    page = { json: Buffer.byteLength(text), sent: gzipSync(text, { level: 1 }) };
    pages.set(key, page);
  }
  return page;
}

/** Names are padded, so that they come in the order in which the API server lists them. */
function claim(index: number) {
  const padded = (number: number) => String(number).padStart(4, "0");
  const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");
  const uid = `${hex((index * 2_654_435_761) >>> 0, 8)}-7c1d-4c39-9a52-${hex(index, 12)}`;
  const time = "2026-01-01T00:00:00Z";
  const binder = "pv.kubernetes.io";
  const managed = (manager: string, fields: object) => ({
    manager,
    operation: "Update",
    apiVersion: "v1",
    time,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": fields },
  });
  return {
    metadata: {
      name: `data-web-${padded(index % 1000)}`,
      namespace: `shop-${padded(Math.floor(index / 1000))}`,
      uid,
      resourceVersion: String(1_000_000 + index),
      creationTimestamp: time,
      labels: { "app.kubernetes.io/name": "web", "app.kubernetes.io/instance": `web-${padded(index % 1000)}` },
      annotations: {
        [`${binder}/bind-completed`]: "yes",
        [`${binder}/bound-by-controller`]: "yes",
        "volume.kubernetes.io/storage-provisioner": "csi.example.com",
        "volume.kubernetes.io/selected-node": `node-${index % 300}`,
      },
      finalizers: ["kubernetes.io/pvc-protection", ...(index % 60 === 0 ? [] : ["holdfast.dev/pvc-protection"])],
      managedFields: [
        managed("kube-controller-manager", { "f:annotations": { ".": {}, [`f:${binder}/bind-completed`]: {} } }),
        managed("kube-scheduler", { "f:annotations": { "f:volume.kubernetes.io/selected-node": {} } }),
        managed("holdfast", { "f:finalizers": { 'v:"holdfast.dev/pvc-protection"': {} } }),
      ],
    },
  };
}

/** Three rows, as PVC protection has. */
function table(sink: string, method = "GET") {
  const conditions = [
    { aliveWithout: "holdfast.dev/pvc-protection" },
    { deletingWith: "holdfast.dev/pvc-protection" },
    { deletingWith: "kubernetes.io/pvc-protection" },
  ];
  const kind = { apiVersion: "v1", kind: "PersistentVolumeClaim", resource: "persistentvolumeclaims" };
  const rows = conditions.map((when) => ({ rule: "bench", ...kind, when, every: "365d", sink }));
  // As the tick before has left it: a first one resyncs everything.
  const status = {
    v: 1,
    uid: "table",
    at: new Date(Date.now() - 300_000).toISOString(),
    because: "3 rows were swept.",
  };
  const annotations = { "holdfast.dev/platform.sweep": JSON.stringify(status) };
  const metadata = { namespace: "holdfast", name: "holdfast-sweep", uid: "table", resourceVersion: "5", annotations };
  const data = method === "GET" ? { data: { "table.yaml": JSON.stringify(rows) } } : {};
  return { apiVersion: "v1", kind: "ConfigMap", metadata, ...data };
}

function answer(response: ServerResponse<IncomingMessage>, value: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function sendCompressed(response: ServerResponse<IncomingMessage>, body: Buffer): void {
  response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
}

function refuse(response: ServerResponse<IncomingMessage>, code: number, path: string): void {
  const status = { kind: "Status", status: "Failure", code, reason: "NotFound", message: `Nothing at ${path}.` };
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(status));
}
