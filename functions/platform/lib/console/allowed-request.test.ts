import { describe, expect, test } from "vitest";
import { type AskedRequest, allowedRequest } from "./allowed-request.ts";
import { Refusal } from "./refusal.ts";

const ask = (method: string, path: string, body: unknown = undefined, contentType?: string) => {
  const usual = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const asked: AskedRequest = { method, path, body: text, contentType: contentType ?? usual };
  return allowedRequest(asked);
};
const statusOf = (run: () => unknown): number => {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error.status;
    throw error;
  }
  return 200;
};

const volumes = "/apis/storage.metalk8s.scality.com/v1alpha1/volumes";
const claims = "/api/v1/persistentvolumeclaims";
const inShop = "/api/v1/namespaces/shop";
const sets = "/apis/apps/v1/namespaces/shop/statefulsets";
const persistentVolume = "/api/v1/persistentvolumes/pv-1";
const compute = "/apis/compute.yaook.cloud/v1/namespaces/y/novacomputenodes/a";
/** A patch that passes. */
const reclaimed = { metadata: { annotations: { "holdfast.dev/reclaim-at": "2040-01-31T12:00:00Z" } } };

test.each([
  ["GET", claims],
  ["GET", `${claims}?limit=500&continue=abc`],
  ["GET", `${claims}?watch=1&resourceVersion=7&allowWatchBookmarks=true`],
  ["GET", "/apis/events.k8s.io/v1/events"],
  ["GET", "/apis/storage.k8s.io/v1/storageclasses"],
  ["GET", "/apis/piraeus.io/v1/linstorsatellites"],
  ["GET", "/apis/piraeus.io/v1/linstorsatelliteconfigurations"],
  ["GET", "/apis/piraeus.io/v1/linstorclusters"],
  ["GET", "/apis/cluster.x-k8s.io/v1beta2/machines"],
  ["GET", "/apis/compute.yaook.cloud/v1/novacomputenodes"],
  ["GET", "/apis/network.yaook.cloud/v1/neutronl2agents"],
  ["GET", "/apis/serving.knative.dev/v1/namespaces/holdfast/services"],
  ["GET", "/apis/sources.knative.dev/v1/namespaces/holdfast/apiserversources"],
  ["GET", "/api/v1/namespaces/holdfast/configmaps?labelSelector=app.kubernetes.io/part-of=holdfast"],
  ["GET", "/api/v1/configmaps?watch=1&fieldSelector=metadata.name%3Dholdfast-sweep"],
  ["DELETE", `${volumes}/v1`],
])("%s %s passes", (method, path) => expect(statusOf(() => ask(method, path))).toBe(200));

test.each([
  ["POST", volumes, { kind: "Volume" }],
  ["POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec: {} }],
  ["POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}],
  ["PATCH", persistentVolume, { metadata: { annotations: { "holdfast.dev/reclaim-at": null }, uid: "u" } }],
  ["PATCH", inShop, { metadata: { annotations: { "holdfast.dev/successor-of": "u" } } }],
  ["PATCH", "/apis/piraeus.io/v1/linstorsatellites/n1", { spec: { deletionPolicy: "Retain" } }],
  ["PATCH", compute, { metadata: { annotations: { "holdfast.dev/retry-eviction": "true" } } }],
  ["DELETE", `${volumes}/v1`, { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: "u" } }],
])("%s %s with %j passes", (method, path, body) => {
  const { body: sent } = ask(method, path, body);
  expect(JSON.parse(sent as string)).toEqual(body);
});

test.each([
  ["GET", "/api/v1/secrets", "a kind that is not in the table"],
  ["GET", `${inShop}/secrets/token`, "a Secret by its name"],
  ["GET", "/api/v1/serviceaccounts", "a kind that rules read and no page shows"],
  ["GET", "/apis/coordination.k8s.io/v1/leases", "another one"],
  ["GET", "/apis/eventing.knative.dev/v1/namespaces/holdfast/triggers", "a kind that nothing reads"],
  ["GET", "/api/v1/events", "Events in the group that no page asks"],
  ["GET", `${inShop}/persistentvolumeclaims/data-web-0`, "one object by its name, which pages ask for by a selector"],
  ["GET", "/api/v1/namespaces/holdfast/configmaps/holdfast-sweep", "a ConfigMap of Holdfast by its name"],
  ["GET", "/version", "the version"],
  ["GET", "/apis", "the groups"],
  ["GET", "/apis/piraeus.io/v1", "the kinds of a group"],
  ["GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles", "another group"],
  ["GET", "/apis/v1/pods", "a core kind where groups are"],
  ["GET", "/api/apps/v1/statefulsets", "a kind of a group where core kinds are"],
  ["GET", `${inShop}/pods/a/log`, "a log"],
  ["GET", `${inShop}/pods/a/exec`, "a command in a container"],
  ["GET", `${inShop}/pods/a/proxy/x`, "a proxy to a pod"],
  ["GET", "/api/v1/nodes/n1/proxy", "a proxy to a node"],
  ["GET", "/api/v1/nodes/n1/proxy/metrics", "a path behind a proxy to a node"],
  ["GET", "/api/v1/watch/secrets", "the old way to watch"],
  ["GET", "/api/v1/watch/namespaces/shop/pods", "the old way to watch what may be read"],
  ["GET", "/api/v1/namespaces/shop/status", "a subresource of a namespace"],
  ["GET", "/api/v1/namespaces/shop/nodes", "a kind of the cluster in a namespace"],
  ["GET", "/api/v1/persistentvolumeclaims/a", "an object of a namespace without it"],
  ["GET", `${inShop}/pods/a?watch=true`, "a watch of one object by its name"],
  ["GET", "/api/v1/configmaps", "ConfigMaps of other people"],
  ["GET", `${inShop}/configmaps/database`, "a ConfigMap of other people by its name"],
  ["GET", "/api/v1/configmaps?labelSelector=app.kubernetes.io/part-of!=holdfast", "a selector of all others"],
  ["GET", "/api/v1/configmaps?fieldSelector=metadata.name!=holdfast-sweep", "a field selector of all others"],
  ["GET", "/logs/kube-apiserver.log", "a path that is no resource"],
  ["GET", "/metrics", "metrics"],
  ["GET", "/", "the root"],
  ["GET", "", "nothing"],
  ["POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", "a question that no page asks"],
  ["POST", "/version", "a write to what is only read"],
  ["POST", claims, "the creation of a claim"],
  ["POST", `${volumes}/v1`, "a creation under a name"],
  ["PUT", `${volumes}/v1`, "a replacement"],
  ["DELETE", volumes, "the deletion of all at once"],
  ["DELETE", `${inShop}/persistentvolumeclaims/a`, "the deletion of a claim"],
  ["DELETE", "/api/v1/persistentvolumes/pv-1", "the deletion of a volume of Kubernetes"],
  ["PATCH", "/api/v1/nodes/n1", "a patch of a node"],
  ["PATCH", `${inShop}/persistentvolumeclaims/a`, "a patch of a claim"],
  ["PATCH", `${sets}/web`, "a patch of a set"],
  ["PATCH", `${volumes}/v1`, "a patch of a Volume"],
  ["PATCH", "/api/v1/persistentvolumes", "a patch of all at once"],
  ["PATCH", "/api/v1/persistentvolumes/pv-1/status", "a patch of a status"],
  ["POST", "/api/v1/namespaces/shop/serviceaccounts/default/token", "a token"],
  ["OPTIONS", claims, "another method"],
  ["CONNECT", claims, "a tunnel"],
  ["get", claims, "a method in lower case"],
])("%s %s is refused: %s", (method, path) =>
  expect(statusOf(() => ask(method, path, method === "GET" ? undefined : {}))).toBe(403),
);

describe("a path is refused that another server might read in another way", () => {
  test.each([
    ["/api/v1/namespaces/shop/pods/..%2f..%2f..%2fsecrets", "an encoded slash"],
    ["/api/v1/pods/%2e%2e/secrets", "encoded dots"],
    ["/api/v1/pods/../secrets", "dots"],
    ["/api/v1/./pods", "a dot"],
    ["/api/v1/pods/..", "dots at the end"],
    ["/api/v1/pods%252f..%252fsecrets", "double encoding"],
    ["/api/v1/%73ecrets", "an encoded letter"],
    ["//api/v1/pods", "two slashes at the start"],
    ["/api//v1/pods", "two slashes"],
    ["/api/v1/pods/", "a slash at the end"],
    ["/api/v1/pods\\..\\secrets", "backslashes"],
    ["/api/v1/pods;/../secrets", "a semicolon"],
    ["/api/v1/pods#secrets", "a fragment"],
    ["/api/v1/pods\u0000", "a zero byte"],
    ["/api/v1/pods\r\nHost: a", "a line break"],
    ["http://evil.example/api/v1/pods", "a whole address"],
    ["/api/v1/pods?limit=1?watch=1", "two queries"],
    ["/api/v1/ｐods", "letters that look alike"],
  ])("%j: %s", (path) => expect(statusOf(() => ask("GET", path))).toBe(403));
});

test.each([
  ["?pretty=true", 403],
  ["?as=admin", 403],
  ["?limit=1&limit=2", 403],
  ["?LIMIT=1", 403],
  ["?labelSelector=a%3Db%26watch%3D1", 200],
])("a query of a list %s ends with %d", (query, status) =>
  expect(statusOf(() => ask("GET", `${claims}${query}`))).toBe(status),
);

test("what a value of the query holds stays in it", () => {
  const { path, isWatch } = ask("GET", `${claims}?labelSelector=a%3Db%26watch%3D1`);
  expect([path, isWatch]).toEqual([`${claims}?labelSelector=a%3Db%26watch%3D1`, false]);
});

test.each([
  [{ metadata: { finalizers: [] } }],
  [{ metadata: null }],
  [{ metadata: { ownerReferences: null } }],
  [{ metadata: { annotations: {}, name: "b" } }],
  [{ metadata: { annotations: null } }],
  [{ metadata: { annotations: { other: "a" } } }],
  [{ metadata: { annotations: { "holdfast.dev/approve-eviction": "true" } } }],
  [{ metadata: { labels: { a: "b" } } }],
  [{ metadata: { resourceVersion: "4" } }],
  [{ spec: { claimRef: null } }],
  [{ spec: { state: "Disabled" } }],
  [{ Metadata: { annotations: {} } }],
  ['{"__proto__":{"a":1}}'],
])("a patch of a PersistentVolume with %j is refused", (body) =>
  expect(statusOf(() => ask("PATCH", persistentVolume, body))).toBe(403),
);

test("a patch of a satellite has spec.deletionPolicy, and nothing else of spec, and one of a host has no spec", () => {
  const node = "/apis/piraeus.io/v1/linstorsatellites/n1";
  expect(statusOf(() => ask("PATCH", node, { spec: { deletionPolicy: "Retain", other: 1 } }))).toBe(403);
  expect(statusOf(() => ask("PATCH", node, { spec: null }))).toBe(403);
  expect(statusOf(() => ask("PATCH", compute, { spec: { state: "Enabled" } }))).toBe(403);
});

test.each([
  ["application/json-patch+json", [{ op: "remove", path: "/metadata/finalizers" }], 415],
  ["application/strategic-merge-patch+json", reclaimed, 415],
  ["application/apply-patch+yaml", "metadata: {}", 415],
  ["application/merge-patch+json", [{ op: "remove", path: "/metadata/finalizers" }], 400],
  ["application/merge-patch+json", "{", 400],
  ["application/merge-patch+json", "", 400],
  ["application/merge-patch+json; charset=utf-8", reclaimed, 200],
])("a patch of type %s with %j ends with %d", (type, body, status) =>
  expect(statusOf(() => ask("PATCH", persistentVolume, body, type))).toBe(status),
);

test("of a field that comes twice only what was looked at goes out", () => {
  const twice = `{"metadata":{"finalizers":[]},${JSON.stringify(reclaimed).slice(1)}`;
  expect(ask("PATCH", persistentVolume, twice).body).toBe(JSON.stringify(reclaimed));
});

test.each([
  [{ gracePeriodSeconds: 0 }],
  [{ preconditions: { uid: "u" }, orphanDependents: true }],
  [{ preconditions: { uid: "u" }, propagationPolicy: "Orphan" }],
  [{ preconditions: { uid: "u" }, dryRun: ["All"] }],
  [{ preconditions: { resourceVersion: "4" } }],
])("a deletion with %j is refused", (body) => expect(statusOf(() => ask("DELETE", `${volumes}/v1`, body))).toBe(403));

test.each(["dryRun=All", "fieldManager=other", "fieldValidation=Ignore", "propagationPolicy=Orphan", "force=true"])(
  "a patch with ?%s is refused",
  (query) => expect(statusOf(() => ask("PATCH", `${persistentVolume}?${query}`, reclaimed))).toBe(403),
);

test("only accept and the type of a body go out with a request", () => {
  const { headers } = ask("PATCH", persistentVolume, reclaimed);
  expect(headers).toEqual({ accept: "application/json", "content-type": "application/merge-patch+json" });
});
