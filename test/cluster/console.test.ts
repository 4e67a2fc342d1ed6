import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { KubeConfig } from "@kubernetes/client-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../shared/command/temporary-folder.ts";
import { ConfigMap, Namespace } from "../../shared/kubernetes/kind.ts";
import { cookieOf, type Served, serveFunction } from "../console/server/served.ts";
import { Role, RoleBinding, ServiceAccount } from "../harness/kinds.ts";
import { manifest } from "../harness/manifest.ts";
import { realServer } from "../harness/real-server.ts";
import { rightsInForce } from "../harness/rights-in-force.ts";
import { tokenOf } from "../harness/service-account.ts";
import { authorityOf } from "./authority.ts";
import { ownCluster } from "./own-cluster.ts";

const cluster = ownCluster;

describe.skipIf(!cluster)("the console in front of a real API server", () => {
  if (!cluster) return;
  const real = realServer(cluster.kubeconfig);
  const { admin } = real;

  /** A console as in a cluster, and a namespace. */
  async function open() {
    const config = new KubeConfig();
    config.loadFromFile(cluster?.kubeconfig ?? "");
    const { server = "", caData } = config.getCurrentCluster() ?? {};
    const authority = caData ? join(temporaryFolder("console-ca").path, "ca.crt") : await authorityOf(server);
    if (caData) writeFileSync(authority, Buffer.from(caData, "base64"));
    const namespace = `holdfast-test-console-${randomBytes(4).toString("hex")}`;
    await admin.create(Namespace, manifest(Namespace, { name: namespace }));
    onTestFinished(async () => void (await admin.delete(Namespace, undefined, namespace)));
    return { namespace, served: await serveFunction(server, { authority }) };
  }

  /** Signs in as a new ServiceAccount with these verbs on the namespace, its claims, and our ConfigMaps in it. */
  async function userWith({ ask }: Served, namespace: string, name: string, verbs: readonly string[]) {
    await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace, name }));
    const rules = [{ apiGroups: [""], resources: ["persistentvolumeclaims", "configmaps", "namespaces"], verbs }];
    const role = manifest(Role, { namespace, name }, { rules });
    await admin.create(Role, role);
    const subjects = [{ kind: "ServiceAccount", namespace, name }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
    const binding = manifest(RoleBinding, { namespace, name }, { subjects, roleRef });
    await admin.create(RoleBinding, binding);
    await rightsInForce(real, [role, binding]);
    const token = await tokenOf(admin, namespace, name);
    const answer = await ask({ method: "POST", path: "/session", body: { token } });
    expect(answer.status).toBe(204);
    return cookieOf(answer);
  }

  test("two users at once get what each of them may, and are refused in the API server's words", async () => {
    const { served, namespace } = await open();
    const { ask } = served;
    const reader = await userWith(served, namespace, "reader", ["list", "watch"]);
    const editor = await userWith(served, namespace, "editor", ["get", "patch"]);
    const claims = `/cluster/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    const home = `/cluster/api/v1/namespaces/${namespace}`;
    const body = { metadata: { annotations: { "holdfast.dev/successor-of": "another" } } };
    const attempts = Array.from({ length: 10 }, async () => {
      const [list, denied, patched, deniedPatch] = await Promise.all([
        ask({ path: `${claims}?limit=500`, headers: { cookie: reader } }),
        ask({ path: claims, headers: { cookie: editor } }),
        ask({ method: "PATCH", path: home, headers: { cookie: editor }, body }),
        ask({ method: "PATCH", path: home, headers: { cookie: reader }, body }),
      ]);
      expect([list.status, denied.status, patched.status, deniedPatch.status]).toEqual([200, 403, 200, 403]);
      expect(deniedPatch.json.message).toContain(`"system:serviceaccount:${namespace}:reader" cannot patch`);
    });
    await Promise.all(attempts);
    const look = { metadata: { annotations: { "holdfast.dev/look": "now" } } };
    const unknown = await ask({ method: "PATCH", path: home, headers: { cookie: editor }, body: look });
    // What no page writes does not reach the API server.
    expect([unknown.status, unknown.headers["x-holdfast-console"]]).toEqual([403, "refused"]);
    const whoAmI = await ask({ path: "/session", headers: { cookie: reader } });
    expect(whoAmI.json).toMatchObject({ signedIn: true, user: `system:serviceaccount:${namespace}:reader` });
  });

  test("what a user may not do is known by the API server's own review", async () => {
    const { served, namespace } = await open();
    const cookie = await userWith(served, namespace, "reader", ["list"]);
    const review = async (verb: string) => {
      const resourceAttributes = { namespace, verb, resource: "persistentvolumeclaims" };
      const path = "/cluster/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
      const body = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes },
      };
      const answer = await served.ask({ method: "POST", path, headers: { cookie }, body });
      return (answer.json.status as { allowed: boolean }).allowed;
    };
    expect([await review("list"), await review("patch")]).toEqual([true, false]);
  });

  test("a watch that was cut is resumed where it ended, and nothing is missed", async () => {
    const { served, namespace } = await open();
    const cookie = await userWith(served, namespace, "watcher", ["list", "watch"]);
    const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
    const ours = "labelSelector=app.kubernetes.io%2Fpart-of%3Dholdfast";
    const list = await served.ask({ path: `/cluster${configMaps}?${ours}`, headers: { cookie } });
    let version = (list.json.metadata as { resourceVersion: string }).resourceVersion;
    const labels = { "app.kubernetes.io/part-of": "holdfast" };
    const watchOne = async (change: () => Promise<unknown>) => {
      const path = `${configMaps}?${ours}&watch=1&resourceVersion=${version}`;
      const address = `/watch?path=${encodeURIComponent(path)}`;
      const outgoing = get({ host: "127.0.0.1", port: served.port, path: address, headers: { cookie }, agent: false });
      const [response] = (await once(outgoing, "response")) as [IncomingMessage];
      await change();
      const lines = createInterface({ input: response });
      // The test itself cuts the connection, below.
      lines.on("error", () => {});
      try {
        for await (const line of lines) {
          const { event } = JSON.parse(line);
          if (!event) continue;
          version = event.object.metadata.resourceVersion;
          return event.object.metadata.name;
        }
      } finally {
        outgoing.destroy();
      }
    };
    const create = (name: string) => admin.create(ConfigMap, manifest(ConfigMap, { namespace, name, labels }));
    expect(await watchOne(() => create("holdfast-a"))).toBe("holdfast-a");
    await create("holdfast-b");
    expect(await watchOne(async () => {})).toBe("holdfast-b");
  });
});
