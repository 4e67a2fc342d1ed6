import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { serveHttp } from "../../local/apiserver/http.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { systemClock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { Namespace } from "../../shared/kubernetes/kind.ts";
import { slug } from "../../shared/rule.ts";
import { tokenKubeconfig } from "../cluster/token-kubeconfig.ts";
import { root } from "../manifests/kustomization.ts";
import { ClusterRole, ClusterRoleBinding } from "../worlds/kinds.ts";
import { manifest } from "../worlds/manifest.ts";

/** A cluster on loopback, and the program on it, as processes. */
export interface CliCluster {
  readonly admin: Client;
  /**
   * Runs `holdfast` as a user that may get and list these resources, all when absent, and do `more` with them. Its
   * output is a pipe.
   */
  holdfast(args: readonly string[], reads?: readonly string[], more?: readonly string[]): Promise<Ran>;
  /** The API server is gone. */
  stop(): Promise<void>;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
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

  return {
    admin,
    async holdfast(args, resources = ["*"], more = []) {
      await admin.delete(ClusterRole, undefined, "reader");
      const rules = [
        { apiGroups: ["*"], resources, verbs: ["get", "list", ...more] },
        { nonResourceURLs: ["*"], verbs: ["get"] },
      ];
      await admin.create(ClusterRole, manifest(ClusterRole, { name: "reader" }, { rules }));
      return run([...args, "--kubeconfig", kubeconfig]);
    },
    stop: () => served.close(),
  };
}

function run(args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    // Compiled once for all of them: half of what a run takes is reading the program.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(root, "node_modules/.cache/holdfast/compiled") };
    execFile(process.execPath, [join(root, "cli/main.ts"), ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}
