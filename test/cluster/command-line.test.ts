import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { Namespace, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { Cluster } from "../harness/cluster.ts";
import { ClusterRole, ClusterRoleBinding, ServiceAccount } from "../harness/kinds.ts";
import { manifest } from "../harness/manifest.ts";
import { rightsInForce } from "../harness/rights-in-force.ts";
import { tokenOf } from "../harness/service-account.ts";
import { root } from "../manifests/kustomization.ts";
import {
  bareNode,
  claimGoes,
  claimIsHeld,
  deleteClaim,
  protectedClaim,
  removePod,
  runningPod,
  stripInTree,
} from "../scenarios/pvc-protection/helpers.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { backendOnCluster } from "./open-backend.ts";
import { ownCluster } from "./own-cluster.ts";
import { tokenKubeconfig } from "./token-kubeconfig.ts";

const cluster = ownCluster;
const Deployment = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true } as const;
const name = "pvc-protection-release";

describe.skipIf(!cluster)("the command line on a real control plane", () => {
  if (!cluster) return;
  const { open } = backendOnCluster(cluster);

  /** A kubeconfig of a user who may get and list everything, and no more. */
  async function readerOf(world: Cluster, folder: string): Promise<string> {
    const { admin, namespace } = world;
    const reader = `reader-${namespace}`;
    await admin.create(ServiceAccount, manifest(ServiceAccount, { namespace, name: reader }));
    const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] }];
    const role = manifest(ClusterRole, { name: reader }, { rules });
    await admin.create(ClusterRole, role);
    const subjects = [{ kind: "ServiceAccount", namespace, name: reader }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: reader };
    const binding = manifest(ClusterRoleBinding, { name: reader }, { subjects, roleRef });
    await admin.create(ClusterRoleBinding, binding);
    await rightsInForce(world, [role, binding]);
    const config = new KubeConfig();
    config.loadFromFile(cluster?.kubeconfig ?? "");
    const file = join(folder, "config");
    const token = await tokenOf(admin, namespace, reader);
    writeFileSync(file, tokenKubeconfig(config.getCurrentCluster() as never, token));
    return file;
  }

  test("to a user who may only read, each command answers about a claim that waits, and writes nothing", async () => {
    const world = await open(beside, { whenOver: () => {} });
    const { admin, namespace } = world;
    const folder = mkdtempSync(join(tmpdir(), "holdfast-explain-"));
    try {
      // The functions of this suite run in its own process; the program looks for their Deployments.
      const labels = { "app.kubernetes.io/part-of": "holdfast", "app.kubernetes.io/component": "release" };
      const template = {
        metadata: { labels },
        spec: { containers: [{ name: "function", image: "example.org/it:1" }] },
      };
      const spec = { replicas: 0, selector: { matchLabels: labels }, template };
      await admin.create(Deployment, manifest(Deployment, { namespace: "holdfast", name, labels }, { spec }));
      const kubeconfig = await readerOf(world, folder);
      const explain = (...args: string[]) =>
        execFileSync(process.execPath, [join(root, "cli/main.ts"), "explain", ...args, "--kubeconfig", kubeconfig], {
          encoding: "utf8",
        });

      await protectedClaim(world, "data");
      await runningPod(world, "web", ["data"]);
      await deleteClaim(world, "data");
      await stripInTree(world, "data");
      await claimIsHeld(world, "data");
      const before = await admin.get(PersistentVolumeClaim, namespace, "data");
      const cause = `Claim data is kept, because pod web on node ${bareNode} uses it`;
      expect(explain("pvc/data", "-n", namespace)).toContain(cause);
      // How each ends: with 1 where the answer is bad.
      const commands: readonly (readonly [code: number, says: string | RegExp, ...args: string[]])[] = [
        [0, cause, "try", "pvc-protection/release", "pvc/data", "-n", namespace],
        [0, "Pod web uses it: it goes when that pod is gone.", "what-if", "delete", "pvc/data", "-n", namespace],
        [1, /Kubernetes v?1\.\d+/, "preflight", "pvc-protection"],
        [1, "pvc-protection", "status", "-o", "wide"],
        [0, "", "restore", "list"],
        [0, `name: ${name}`, "doctor"],
        [
          1,
          `Pods use claims that are being deleted and that only our finalizer keeps: ${namespace}/data`,
          "uninstall",
          "--check",
        ],
        [2, "nope.json", "replay", "nope.json"],
      ];
      for (const [code, says, ...args] of commands) {
        const { status, stdout, stderr } = spawnSync(
          process.execPath,
          [join(root, "cli/main.ts"), ...args, "--kubeconfig", kubeconfig],
          { encoding: "utf8", env: { ...process.env, COLUMNS: "200" } },
        );
        expect([args, status, stderr]).toEqual([args, code, code === 2 ? expect.stringContaining("holdfast: ") : ""]);
        expect(code === 2 ? stderr : stdout, args.join(" ")).toMatch(says);
      }
      expect(await admin.get(PersistentVolumeClaim, namespace, "data")).toEqual(before);

      await admin.delete(Namespace, undefined, namespace);
      const hanging = explain("ns", namespace);
      expect(hanging).toContain(`PersistentVolumeClaim ${namespace}/data is held by`);
      expect(hanging).toContain(cause);
      await removePod(world, "web");
      await claimGoes(world, "data");
    } finally {
      await admin.delete(Deployment, "holdfast", name);
      rmSync(folder, { recursive: true });
    }
  });
});
