import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WriteStream } from "node:tty";
import { onTestFinished } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { serveHttp } from "../../local/apiserver/http.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { systemClock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { Namespace } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { slug } from "../../shared/rule.ts";
import { tokenKubeconfig } from "../cluster/token-kubeconfig.ts";
import { install } from "../harness/installation.ts";
import { ClusterRole, ClusterRoleBinding, RoleBinding } from "../harness/kinds.ts";
import { manifest } from "../harness/manifest.ts";
import { type Ran, runHoldfast } from "./run-holdfast.ts";

/** A cluster on loopback, and the program on it. */
export interface CliCluster {
  readonly admin: Client;
  /** The file that names the cluster to the program. */
  readonly kubeconfig: string;
  /**
   * Runs `holdfast` as a user that may get and list these resources, all when absent, and do `more` with them. Its
   * output is a pipe; `onOutput` is called with all that it has printed, whenever that is more.
   */
  holdfast(
    args: readonly string[],
    reads?: readonly string[],
    more?: readonly string[],
    onOutput?: (printed: string) => void,
  ): Promise<Ran>;
  /** The same as a user that may get and list everything, on a terminal. The environment decides about colours. */
  onTerminal(args: readonly string[]): Promise<Ran>;
  /** The same as a user that has these Roles and ClusterRoles, and no other, on a terminal of 80 columns. */
  asUserOf(roles: readonly KubernetesObject[], args: readonly string[]): Promise<Ran>;
  /** The API server is gone. */
  stop(): Promise<void>;
}

const rbac = "rbac.authorization.k8s.io";
const Deployment = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true } as const;

/** Opens a cluster on which these functions are installed, without Knative; it goes with the test. */
export async function openCliCluster(functions: readonly string[]): Promise<CliCluster> {
  const tokens = {
    admin: { user: "admin", groups: ["system:masters", "system:authenticated"] },
    reader: { user: "reader", groups: ["system:authenticated"] },
  };
  const server = createApiServer({ clock: systemClock, random: seededRandom(7), rbac: true, tokens });
  const admin = createClient((request) =>
    server.handle({ ...request, headers: { authorization: "Bearer admin", ...request.headers } }),
  );
  const served = await serveHttp(server);
  const folder = mkdtempSync(join(tmpdir(), "holdfast-cli-"));
  const kubeconfig = join(folder, "config");
  writeFileSync(kubeconfig, tokenKubeconfig({ name: "test", server: served.url, skipTLSVerify: true }, "reader"));
  onTestFinished(async () => {
    await served.close();
    server.close();
    rmSync(folder, { recursive: true });
  });

  await admin.create(Namespace, manifest(Namespace, { name: "holdfast" }));
  for (const name of functions.map(slug)) {
    const labels = { "app.kubernetes.io/part-of": "holdfast", "app.kubernetes.io/component": name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "function", image: "example.org/it:1" }] } };
    const spec = { selector: { matchLabels: labels }, template };
    await admin.create(Deployment, manifest(Deployment, { namespace: "holdfast", name, labels }, { spec }));
  }
  const subjects = [{ kind: "User", name: "reader", apiGroup: rbac }];
  const roleRef = { apiGroup: rbac, kind: "ClusterRole", name: "reader" };
  await admin.create(ClusterRoleBinding, manifest(ClusterRoleBinding, { name: "reader" }, { subjects, roleRef }));

  const allow = async (resources: readonly string[], more: readonly string[]) => {
    await admin.delete(ClusterRole, undefined, "reader");
    const rules = [
      { apiGroups: ["*"], resources, verbs: ["get", "list", ...more] },
      { nonResourceURLs: ["*"], verbs: ["get"] },
    ];
    await admin.create(ClusterRole, manifest(ClusterRole, { name: "reader" }, { rules }));
  };
  return {
    admin,
    kubeconfig,
    async onTerminal(args) {
      await allow(["*"], []);
      return runHoldfast([...args, "--kubeconfig", kubeconfig], { terminal: terminalWithColours });
    },
    async holdfast(args, resources = ["*"], more = [], onOutput) {
      await allow(resources, more);
      return runHoldfast([...args, "--kubeconfig", kubeconfig], onOutput ? { onOutput } : {});
    },
    async asUserOf(roles, args) {
      await admin.delete(ClusterRole, undefined, "reader");
      const bindings = roles.map(({ kind, metadata: { namespace, name } }) => {
        const binding = kind === "Role" ? RoleBinding : ClusterRoleBinding;
        const role = { apiGroup: rbac, kind, name };
        return manifest(
          binding,
          { name: `${name}-reader`, ...(namespace ? { namespace } : {}) },
          { subjects, roleRef: role },
        );
      });
      const uninstall = await install(admin, [...roles, ...bindings]);
      try {
        return await runHoldfast([...args, "--kubeconfig", kubeconfig], { terminal: terminalOf80 });
      } finally {
        await uninstall();
      }
    },
    stop: () => served.close(),
  };
}

/** A terminal without colours. */
const terminalOf80 = { isTTY: true, columns: 80, getColorDepth: () => 1, hasColors: () => false } as const;

/** One of which Node itself decides, from the environment, how many colours it has. */
const { getColorDepth, hasColors } = WriteStream.prototype;
const terminalWithColours = { isTTY: true, columns: 80, getColorDepth, hasColors } as const;
