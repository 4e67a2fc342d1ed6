import { pod } from "../pods.ts";

/**
 * An event that concerns no function of PVC protection, as the broker sends it: a running pod was updated. Binary mode,
 * about 4 kB. The bytes of the whole request, for clients that must cost less than what they measure.
 */
export function irrelevantEvent(): Buffer {
  const body = JSON.stringify(
    pod({ namespace: "shop", name: "web-0", node: "node-0", claim: "data-web-0", bytes: 4000 }),
  );
  const head = [
    "POST / HTTP/1.1",
    "host: release.holdfast.svc.cluster.local",
    "content-type: application/json",
    "ce-specversion: 1.0",
    "ce-id: 2f2e6a3a-6f1e-4c39-9a52-3e5a0a4d6b11",
    "ce-source: https://10.96.0.1:443",
    "ce-type: dev.knative.apiserver.resource.update",
    "ce-subject: /apis/v1/namespaces/shop/pods/web-0",
    "ce-time: 2026-01-01T00:00:00.000000000Z",
    "ce-apiversion: v1",
    "ce-kind: Pod",
    "ce-name: web-0",
    "ce-namespace: shop",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}
