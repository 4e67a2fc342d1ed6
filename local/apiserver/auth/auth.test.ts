import { describe, expect, test } from "vitest";
import { configMaps, pods, testServer } from "../fixtures/test-server.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const admin = { authorization: "Bearer admin-token" };
const rules = {
  pods: { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
  podStatus: { apiGroups: [""], resources: ["pods/status"], verbs: ["patch"] },
  one: { apiGroups: [""], resources: ["configmaps"], resourceNames: ["one"], verbs: ["update", "list"] },
};

/** A server with RBAC and a service account `me` with a token of its own. */
async function secured(options: object = {}) {
  const api = testServer({
    rbac: true,
    tokens: { "admin-token": { user: "admin", groups: ["system:masters"] } },
    ...options,
  });
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await api.ask("POST", accounts, { metadata: { name: "me" } }, admin);
  const { json } = await api.ask("POST", `${accounts}/me/token`, {}, admin);
  const me = { authorization: `Bearer ${json.status.token}` };
  const grant = async (list: object[], scope = `${rbac}/namespaces/default`, kind = "Role") => {
    const [role, binding] = [`${scope}/${kind.toLowerCase()}s`, `${scope}/${kind.toLowerCase()}bindings`];
    await api.ask("POST", role, { metadata: { name: "r" }, rules: list }, admin);
    const subjects = [{ kind: "ServiceAccount", name: "me", namespace: "default" }];
    await api.ask("POST", binding, { metadata: { name: "r" }, roleRef: { kind, name: "r" }, subjects }, admin);
  };
  return { ...api, me, token: json.status, grant, accounts };
}

describe("who asks", () => {
  test("everybody is the administrator while there are no tokens", async () => {
    const { ask } = testServer();
    const review = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    expect((await ask("POST", review, {})).json.status.userInfo.username).toBe("kubernetes-admin");
  });

  test("nobody without a token, and nobody with an unknown one", async () => {
    const { ask } = await secured();
    expect((await ask("GET", configMaps)).json.message).toBe(
      'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in ' +
        'the namespace "default"',
    );
    const { status, json } = await ask("GET", configMaps, undefined, { authorization: "Bearer nobody" });
    expect([status, json.message]).toEqual([401, "Unauthorized"]);
  });

  test("a service account, until its token is old or it is gone or another one", async () => {
    const { accounts, ask, clock, me, token } = await secured();
    const status = async () => (await ask("GET", "/version", undefined, me)).status;
    expect([await status(), token.expirationTimestamp]).toEqual([200, "2026-01-01T01:00:00Z"]);
    await clock.advance(60 * 60_000);
    expect(await status()).toBe(401);
    const { json } = await ask("POST", `${accounts}/me/token`, { spec: { expirationSeconds: 86_400 } }, admin);
    me.authorization = `Bearer ${json.status.token}`;
    expect(await status()).toBe(200);
    await ask("DELETE", `${accounts}/me`, undefined, admin);
    await ask("POST", accounts, { metadata: { name: "me" } }, admin);
    expect(await status()).toBe(401);
  });

  test("not with a token that is meant for others", async () => {
    const { accounts, ask } = await secured();
    const { json } = await ask("POST", `${accounts}/me/token`, { spec: { audiences: ["broker"] } }, admin);
    const { token } = json.status;
    expect((await ask("GET", "/version", undefined, { authorization: `Bearer ${token}` })).status).toBe(401);
    const review = async (audiences?: string[]) =>
      (await ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token, audiences } }, admin)).json
        .status;
    expect(await review()).toEqual({ user: {}, error: "invalid bearer token" });
    expect(await review(["broker"])).toMatchObject({
      authenticated: true,
      audiences: ["broker"],
      user: { username: "system:serviceaccount:default:me" },
    });
  });

  test.each([
    [{ spec: { expirationSeconds: 5 } }, "spec.expirationSeconds"],
    [{ metadata: { name: "other" } }, "metadata.name"],
  ])("no token for %j", async (body, field) => {
    const { accounts, ask } = await secured();
    const { status, json } = await ask("POST", `${accounts}/me/token`, body, admin);
    expect([status, json.details.causes[0].field]).toEqual([422, field]);
  });
});

describe("what is allowed", () => {
  test("nothing but what everybody may", async () => {
    const { ask, me } = await secured();
    const get = async (path: string) => (await ask("GET", path, undefined, me)).status;
    expect([await get("/healthz"), await get("/apis"), await get("/metrics"), await get(pods)]).toEqual([
      200, 200, 403, 403,
    ]);
    expect((await ask("GET", "/metrics", undefined, me)).json.message).toBe(
      'forbidden: User "system:serviceaccount:default:me" cannot get path "/metrics"',
    );
    expect((await ask("GET", "/api")).status).toBe(403);
  });

  test("in a namespace, by verb, resource and subresource", async () => {
    const { ask, grant, me, merge } = await secured();
    await grant([rules.pods, rules.podStatus]);
    const get = async (path: string) => (await ask("GET", path, undefined, me)).status;
    expect([await get(pods), await get(`${pods}/x`), await get(`${pods}?watch=1`), await get("/api/v1/pods")]).toEqual([
      200, 404, 403, 403,
    ]);
    expect((await merge(`${pods}/x/status`, {}, me)).status).toBe(404);
    expect((await merge(`${pods}/x`, {}, me)).json).toMatchObject({
      message:
        'pods "x" is forbidden: User "system:serviceaccount:default:me" cannot patch resource "pods" in API ' +
        'group "" in the namespace "default"',
      details: { name: "x", kind: "pods" },
    });
    expect((await ask("DELETE", pods, undefined, me)).json.message).toContain("cannot deletecollection resource");
  });

  test("by name, which a list has not", async () => {
    const { ask, grant, me } = await secured();
    await grant([rules.one]);
    const put = async (name: string) => (await ask("PUT", `${configMaps}/${name}`, { metadata: { name } }, me)).status;
    expect([await put("one"), await put("two")]).toEqual([404, 403]);
    expect((await ask("GET", configMaps, undefined, me)).status).toBe(403);
  });

  test("to create, also by an update or an apply of what does not exist", async () => {
    const { ask, grant, me } = await secured();
    await grant([{ apiGroups: ["", "coordination.k8s.io"], resources: ["*"], verbs: ["update", "patch"] }]);
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    expect((await ask("PUT", `${leases}/x`, { metadata: { name: "x" } }, me)).json.message).toContain(
      "cannot create resource",
    );
    const config = { apiVersion: "v1", kind: "ConfigMap" };
    const headers = { ...me, "content-type": "application/apply-patch+yaml" };
    const applied = await ask("PATCH", `${configMaps}/x?fieldManager=m`, config, headers);
    expect([applied.status, applied.json.message]).toEqual([403, expect.stringContaining("cannot create resource")]);
  });

  test("everywhere, by a ClusterRole that is bound to all of the cluster", async () => {
    const { ask, grant, me } = await secured();
    const everyStatus = { apiGroups: ["*"], resources: ["*/status"], verbs: ["*"] };
    await grant([rules.pods, everyStatus, { nonResourceURLs: ["/met*"], verbs: ["get"] }], rbac, "ClusterRole");
    const get = async (path: string) => (await ask("GET", path, undefined, me)).status;
    expect([await get("/api/v1/pods"), await get("/api/v1/nodes/n/status"), await get("/metrics")]).toEqual([
      200, 404, 404,
    ]);
  });

  test("is asked before whether there is such a thing", async () => {
    const { ask, me } = await secured();
    expect((await ask("GET", "/apis/nobody.dev/v1/foos", undefined, me)).json.message).toBe(
      'foos.nobody.dev is forbidden: User "system:serviceaccount:default:me" cannot list resource "foos" in ' +
        'API group "nobody.dev" at the cluster scope',
    );
  });

  test("a namespace is inside itself", async () => {
    const { ask, grant, me } = await secured();
    await grant([{ apiGroups: [""], resources: ["namespaces"], verbs: ["get"] }]);
    const get = async (name: string) => (await ask("GET", `/api/v1/namespaces/${name}`, undefined, me)).status;
    expect([await get("default"), await get("kube-system")]).toEqual([200, 403]);
  });
});

describe("reviews", () => {
  const access = "/apis/authorization.k8s.io/v1";
  const listPods = { verb: "list", resource: "pods", namespace: "default" };

  test("say whether and why", async () => {
    const { ask, grant, me } = await secured();
    await grant([rules.pods]);
    const mayI = async (spec: object) =>
      (await ask("POST", `${access}/selfsubjectaccessreviews`, { spec }, me)).json.status;
    expect(await mayI({ resourceAttributes: listPods })).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "r/default" of Role "r" to ServiceAccount "me/default"',
    });
    expect(await mayI({ resourceAttributes: { verb: "list", resource: "nodes" } })).toEqual({ allowed: false });
    expect((await mayI({ nonResourceAttributes: { verb: "get", path: "/healthz" } })).allowed).toBe(true);
    expect((await ask("POST", `${access}/selfsubjectaccessreviews`, { spec: {} }, me)).status).toBe(422);
  });

  test("of others are for who may ask", async () => {
    const { ask, grant, me } = await secured();
    await grant([rules.pods]);
    const spec = { user: "system:serviceaccount:default:me", resourceAttributes: listPods };
    expect((await ask("POST", `${access}/subjectaccessreviews`, { spec }, admin)).json.status.allowed).toBe(true);
    expect((await ask("POST", `${access}/subjectaccessreviews`, { spec }, me)).status).toBe(403);
  });

  test("list all that is allowed", async () => {
    const { ask, grant, me } = await secured();
    await grant([rules.one]);
    const body = { spec: { namespace: "default" } };
    const { status } = (await ask("POST", `${access}/selfsubjectrulesreviews`, body, me)).json;
    expect(status.resourceRules).toContainEqual(rules.one);
    expect(status.nonResourceRules.length).toBeGreaterThan(0);
    const all = (await ask("POST", `${access}/selfsubjectrulesreviews`, body, admin)).json.status;
    expect(all.resourceRules).toEqual([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }]);
  });
});

// As an API server with --enable-admission-plugins=OwnerReferencesPermissionEnforcement answered.
describe("changing owners, where that takes permission", () => {
  const owner = (name: string, more: object = {}) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name,
    uid: name,
    ...more,
  });
  const blocking = { blockOwnerDeletion: true };
  const write = { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch"] };

  async function guarded(...more: object[]) {
    const api = await secured({ ownerReferencesPermissionEnforcement: true });
    await api.grant([write, ...more]);
    await api.ask("POST", configMaps, { metadata: { name: "x" } }, admin);
    const own = async (...ownerReferences: object[]) => {
      const { status, json } = await api.merge(`${configMaps}/x`, { metadata: { ownerReferences } }, api.me);
      return status === 200 ? status : json.message;
    };
    return { ...api, own };
  }

  test("to delete the object", async () => {
    const { merge, me, own } = await guarded();
    expect(await own(owner("a"))).toBe(
      `configmaps "x" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`,
    );
    expect((await merge(`${configMaps}/x`, { metadata: { labels: { a: "b" } } }, me)).status).toBe(200);
  });

  test("not when it is new", async () => {
    const { ask, me } = await guarded();
    const metadata = { name: "y", ownerReferences: [owner("a")] };
    expect((await ask("POST", configMaps, { metadata }, me)).status).toBe(201);
  });

  test("to update the finalizers of an owner whose deletion it is to block", async () => {
    const remove = { ...write, verbs: ["delete"] };
    const { merge, own } = await guarded(remove);
    const refusal =
      'configmaps "x" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you ' +
      "can't set finalizers on: , <nil>";
    expect(await own(owner("a", blocking))).toBe(refusal);
    expect(await own(owner("a"))).toBe(200);
    await merge(`${configMaps}/x`, { metadata: { ownerReferences: [owner("a", blocking)] } }, admin);
    expect(await own(owner("a", blocking), owner("b"))).toBe(200);
    expect(await own(owner("a", blocking), owner("b", blocking))).toBe(refusal);
    const finalizers = { apiGroups: [""], resources: ["configmaps/finalizers"], verbs: ["update"] };
    const allowed = await guarded(remove, finalizers);
    expect(await allowed.own(owner("a", blocking))).toBe(200);
  });
});
