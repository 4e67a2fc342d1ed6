import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { PersistentVolumeClaim, Pod, pathOf } from "../../shared/kubernetes/kind.ts";
import type { OwnerReference } from "../../shared/kubernetes/object.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding, ServiceAccount, StatefulSet } from "../harness/kinds.ts";
import { claim, manifest } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { tokenOf } from "../harness/service-account.ts";
import { failure } from "./failure.ts";
import { owners } from "./owners.ts";

interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

/** Who may do what: RBAC as functions under their own service accounts meet it. */
export function access(open: () => Promise<Bench>): void {
  const subjects = (namespace: string) => [{ kind: "ServiceAccount", namespace, name: "function" }];
  const group = "rbac.authorization.k8s.io";

  /** A service account with these rights in its own namespace, and the API as it sees it. */
  async function account(bench: Bench, rules: PolicyRule[] = []): Promise<Client> {
    const { admin, namespace } = bench;
    await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace, name: "function" }));
    await admin.create(Role, manifest(Role, { namespace, name: "function" }, { rules }));
    const roleRef = { apiGroup: group, kind: "Role", name: "function" };
    const binding = manifest(RoleBinding, { namespace, name: "function" }, { roleRef, subjects: subjects(namespace) });
    await admin.create(RoleBinding, binding);
    return createClient(bench.connect(await tokenOf(admin, namespace, "function")), { clock: bench.clock });
  }

  /** The answer of a call that a new role allows: a real authorizer learns of roles by watching them. */
  async function allowed<T>(bench: Bench, call: () => Promise<T>): Promise<T> {
    const attempt = async () => {
      try {
        return { answer: await call() };
      } catch (error) {
        if (error instanceof ApiError && error.status === 403) return false;
        throw error;
      }
    };
    return (await bench.eventually("the role is in force", attempt)).answer;
  }

  const claims = (...verbs: string[]): PolicyRule => ({
    apiGroups: [""],
    resources: ["persistentvolumeclaims"],
    verbs,
  });

  describe("without rights", () => {
    const user = (namespace: string) => `User "system:serviceaccount:${namespace}:function"`;

    test.each([
      ["get", "GET", "/a", ' "a"'],
      ["list", "GET", "", ""],
      ["watch", "GET", "?watch=true", ""],
      ["create", "POST", "", ""],
      ["delete", "DELETE", "/a", ' "a"'],
      ["deletecollection", "DELETE", "", ""],
      ["patch", "PATCH", "/a", ' "a"'],
      ["update", "PUT", "/a", ' "a"'],
    ] as const)("%s is forbidden, in words that name user, verb and resource", async (verb, method, path, name) => {
      const bench = await open();
      const { namespace } = bench;
      const client = await account(bench);
      const body = method === "GET" || method === "DELETE" ? undefined : claim({ namespace, name: "a" });
      const headers: Record<string, string> =
        method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
      const error = await failure(
        client.request(method, pathOf(PersistentVolumeClaim, namespace) + path, body, headers),
      );
      expect(error).toMatchObject({ status: 403, reason: "Forbidden" });
      expect(error.message).toContain(
        `persistentvolumeclaims${name} is forbidden: ${user(namespace)} cannot ${verb} resource ` +
          `"persistentvolumeclaims" in API group "" in the namespace "${namespace}"`,
      );
    });

    test("the words name a group, a subresource, and the cluster scope", async () => {
      const bench = await open();
      const { namespace } = bench;
      const client = await account(bench);
      const messages = [
        await failure(client.delete(StatefulSet, namespace, "a")),
        await failure(client.patch(Pod, namespace, "a", "merge", {}, { subresource: "status" })),
        await failure(client.request("GET", "/api/v1/pods")),
      ].map(({ message }) => message);
      expect(messages[0]).toContain(
        `statefulsets.apps "a" is forbidden: ${user(namespace)} cannot delete resource "statefulsets" in API ` +
          `group "apps" in the namespace "${namespace}"`,
      );
      expect(messages[1]).toContain(
        `pods "a" is forbidden: ${user(namespace)} cannot patch resource "pods/status" in API group ""`,
      );
      expect(messages[2]).toContain(
        `pods is forbidden: ${user(namespace)} cannot list resource "pods" in API group "" at the cluster scope`,
      );
    });

    test("an unknown token is 401", async () => {
      const bench = await open();
      const stranger = createClient(bench.connect("no-such-token"), { clock: bench.clock });
      const error = await failure(stranger.get(Pod, bench.namespace, "a"));
      expect(error).toMatchObject({ status: 401, reason: "Unauthorized" });
    });
  });

  describe("a role", () => {
    test("allows its verbs on its resource in its namespace, and nothing beside", async () => {
      const bench = await open();
      const { admin, namespace } = bench;
      const other = await open();
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "a" }));
      const client = await account(bench, [claims("get", "patch")]);

      const label = { metadata: { labels: { l: "1" } } };
      const patched = await allowed(bench, () => client.patch(PersistentVolumeClaim, namespace, "a", "merge", label));
      expect(patched?.metadata.labels).toEqual({ l: "1" });
      const { metadata, ...rest } = patched ?? claim({});
      const refused = [
        () => client.request("PUT", pathOf(PersistentVolumeClaim, namespace, "a"), { metadata, ...rest }),
        () => client.delete(PersistentVolumeClaim, namespace, "a"),
        () => Array.fromAsync(client.list(PersistentVolumeClaim, { namespace })),
        () => client.get(PersistentVolumeClaim, other.namespace, "a"),
        () => client.get(Pod, namespace, "a"),
      ];
      for (const call of refused) expect(await failure(call())).toMatchObject({ status: 403, reason: "Forbidden" });
    });

    test("for an object does not reach its subresources, nor the other way round", async () => {
      const bench = await open();
      const { admin, namespace } = bench;
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "a" }));
      const client = await account(bench, [{ ...claims("patch"), resources: ["persistentvolumeclaims/status"] }]);
      const patch = (subresource?: string) =>
        client.patch(PersistentVolumeClaim, namespace, "a", "merge", {}, subresource ? { subresource } : {});
      expect(await allowed(bench, () => patch("status"))).toBeDefined();
      expect(await failure(patch())).toMatchObject({ status: 403 });
    });

    test("with resourceNames reaches these names only", async () => {
      const bench = await open();
      const client = await account(bench, [{ ...claims("get"), resourceNames: ["a"] }]);
      expect(await allowed(bench, () => client.get(PersistentVolumeClaim, bench.namespace, "a"))).toBeUndefined();
      expect(await failure(client.get(PersistentVolumeClaim, bench.namespace, "b"))).toMatchObject({ status: 403 });
    });

    test("with resourceNames reaches a list that selects one of these names, and no other list", async () => {
      const bench = await open();
      const client = await account(bench, [{ ...claims("list"), resourceNames: ["a"] }]);
      const list = (fieldSelector?: string) =>
        Array.fromAsync(
          client.list(PersistentVolumeClaim, {
            namespace: bench.namespace,
            ...(fieldSelector ? { fieldSelector } : {}),
          }),
        );
      expect(await allowed(bench, () => list("metadata.name=a"))).toEqual([]);
      for (const other of [undefined, "metadata.name=b", "metadata.name!=a"])
        expect(await failure(list(other))).toMatchObject({ status: 403 });
    });

    test("that may not create cannot create by server-side apply", async () => {
      const bench = await open();
      const { namespace } = bench;
      const client = await account(bench, [claims("patch")]);
      await allowed(bench, () => client.patch(PersistentVolumeClaim, namespace, "none", "merge", {}));
      const wanted = claim({ name: "a" });
      const options = { fieldManager: "function" };
      const error = await failure(client.patch(PersistentVolumeClaim, namespace, "a", "apply", wanted, options));
      expect(error).toMatchObject({ status: 403, reason: "Forbidden" });
      expect(error.message).toContain("cannot create resource");
    });

    test("for lists allows metadata-only lists", async () => {
      const bench = await open();
      const client = await account(bench, [claims("list")]);
      const options = { namespace: bench.namespace, metadataOnly: true };
      expect(await allowed(bench, () => Array.fromAsync(client.list(PersistentVolumeClaim, options)))).toEqual([]);
    });
  });

  describe("owner references, where the server guards them", () => {
    const patchOwner = (client: Client, namespace: string, owner: OwnerReference, more: Partial<OwnerReference> = {}) =>
      client.patch(PersistentVolumeClaim, namespace, "a", "merge", {
        metadata: { ownerReferences: [{ ...owner, ...more }] },
      });

    async function withClaim(bench: Bench, rules: PolicyRule[]): Promise<{ client: Client; owner: OwnerReference }> {
      const { admin, namespace } = bench;
      const [owner] = await owners(bench);
      await admin.create(PersistentVolumeClaim, claim({ namespace, name: "a" }));
      const client = await account(bench, rules);
      await allowed(bench, () => client.patch(PersistentVolumeClaim, namespace, "a", "merge", {}));
      return { client, owner };
    }

    test("are changed only by who may delete the dependent", async ({ skip }) => {
      const bench = await open();
      if (!bench.guardsOwnerReferences) return skip("This server does not guard owner references.");
      const { client, owner } = await withClaim(bench, [claims("patch")]);
      const error = await failure(patchOwner(client, bench.namespace, owner));
      expect(error).toMatchObject({ status: 403, reason: "Forbidden" });
      expect(error.message).toContain("cannot set an ownerRef on a resource you can't delete");
    });

    test("block only with the right to update the owner's finalizers", async ({ skip }) => {
      const bench = await open();
      if (!bench.guardsOwnerReferences) return skip("This server does not guard owner references.");
      const { client, owner } = await withClaim(bench, [claims("patch", "delete")]);
      const error = await failure(patchOwner(client, bench.namespace, owner, { blockOwnerDeletion: true }));
      expect(error).toMatchObject({ status: 403, reason: "Forbidden" });
      expect(error.message).toContain(
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on",
      );
      const patched = await patchOwner(client, bench.namespace, owner, { blockOwnerDeletion: false });
      expect(patched?.metadata.ownerReferences).toEqual([{ ...owner, blockOwnerDeletion: false }]);
    });

    test("block with that right", async () => {
      const bench = await open();
      const finalizers = { apiGroups: [""], resources: ["configmaps/finalizers"], verbs: ["update"] };
      const { client, owner } = await withClaim(bench, [claims("patch", "delete"), finalizers]);
      const patched = await patchOwner(client, bench.namespace, owner, { blockOwnerDeletion: true });
      expect(patched?.metadata.ownerReferences).toEqual([{ ...owner, blockOwnerDeletion: true }]);
    });
  });

  describe("a ClusterRole", () => {
    test.each([
      ["by a ClusterRoleBinding reaches every namespace and cluster-wide lists", true],
      ["by a RoleBinding reaches that namespace only", false],
    ])("%s", async (_, everywhere) => {
      const bench = await open();
      const { admin, namespace } = bench;
      const other = await open();
      const client = await account(bench);
      const name = `contract-${namespace}`;
      await admin.create(
        ClusterRole,
        manifest(ClusterRole, { name }, { rules: [{ ...claims("list"), apiGroups: ["*"] }] }),
      );
      const binding = {
        roleRef: { apiGroup: group, kind: "ClusterRole", name },
        subjects: subjects(namespace),
      };
      if (everywhere) await admin.create(ClusterRoleBinding, manifest(ClusterRoleBinding, { name }, binding));
      else await admin.create(RoleBinding, manifest(RoleBinding, { namespace, name }, binding));
      try {
        const here = () => Array.fromAsync(client.list(PersistentVolumeClaim, { namespace }));
        expect(await allowed(bench, here)).toEqual([]);
        for (const options of [{ namespace: other.namespace }, {}]) {
          const list = Array.fromAsync(client.list(PersistentVolumeClaim, options));
          if (everywhere) expect(await list).toBeInstanceOf(Array);
          else expect(await failure(list)).toMatchObject({ status: 403 });
        }
      } finally {
        await admin.delete(ClusterRoleBinding, undefined, name);
        await admin.delete(ClusterRole, undefined, name);
      }
    });
  });

  describe("acting as another user", () => {
    const as = (transport: Transport, headers: Record<string, string>, bench: Bench) =>
      createClient((request) => transport({ ...request, headers: { ...request.headers, ...headers } }), {
        clock: bench.clock,
      });
    const function_ = (namespace: string) => `system:serviceaccount:${namespace}:function`;

    test("an administrator sees what a service account may do", async () => {
      const bench = await open();
      const { namespace } = bench;
      await account(bench, [claims("list")]);
      const client = as(bench.transport, { "impersonate-user": function_(namespace) }, bench);
      const list = () => Array.fromAsync(client.list(PersistentVolumeClaim, { namespace }));
      expect(await allowed(bench, list)).toEqual([]);
      expect(await failure(client.get(PersistentVolumeClaim, namespace, "a"))).toMatchObject({
        status: 403,
        message: expect.stringContaining(`User "${function_(namespace)}" cannot get resource`),
      });
    });

    test("groups count as those that are named", async () => {
      const bench = await open();
      const [user, group] = ["carol", "system:masters"];
      const carol = as(bench.transport, { "impersonate-user": user }, bench);
      const master = as(bench.transport, { "impersonate-user": user, "impersonate-group": group }, bench);
      const list = (client: Client) => Array.fromAsync(client.list(PersistentVolumeClaim, bench));
      expect(await failure(list(carol))).toMatchObject({ status: 403 });
      expect(await list(master)).toEqual([]);
    });

    test("no other user may", async () => {
      const bench = await open();
      const { admin, namespace } = bench;
      await account(bench, [claims("list")]);
      const transport = bench.connect(await tokenOf(admin, namespace, "function"));
      const client = as(transport, { "impersonate-user": "carol" }, bench);
      expect(await failure(Array.fromAsync(client.list(PersistentVolumeClaim, { namespace })))).toMatchObject({
        status: 403,
        // A server with constrained impersonation words it after the narrower right that it asked for last.
        message: expect.stringContaining(`User "${function_(namespace)}" cannot impersonate`),
      });
    });
  });
}
