import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { realServer } from "../../harness/real-server.ts";
import { kubectl, run } from "../kubectl.ts";
import { makeNamespace } from "../make-namespace.ts";
import { ownCluster } from "../own-cluster.ts";
import { createInstalls, type Way } from "./installs.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import { openWalk } from "./walk.ts";

const cluster = ownCluster;
const { HOLDFAST_KNATIVE_CRDS: definitions } = process.env;
const page = "docs/tune.md";
const finalizer = "holdfast.dev/pvc-protection";
const ways: readonly (readonly [Way, example: string])[] = [
  ["With Knative", "excluded-namespace"],
  ["Without Knative", "excluded-namespace-no-knative"],
];

const claim = (namespace: string) => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data, namespace: ${namespace} }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;

describe.skipIf(!cluster || !kubectl || !definitions)(
  `${page}: a namespace is left out, on a real control plane`,
  () => {
    if (!cluster) return;
    const { kubeconfig } = cluster;
    const server = realServer(kubeconfig, { throwaway: true });
    const installs = createInstalls(server, kubeconfig, definitions ?? "");
    const folders: string[] = [];
    afterAll(() => {
      for (const folder of folders) rmSync(folder, { recursive: true });
    });

    test.each(ways)("%s: a claim there gets no finalizer, and a claim elsewhere gets it", async (way, example) => {
      await installs.begin(way);
      const namespaces = ["ci", "shop"];
      for (const namespace of namespaces) makeNamespace(namespace, kubeconfig);
      const folder = mkdtempSync(join(tmpdir(), "walk-leave-out-"));
      folders.push(folder);
      const texts = [["example=excluded-namespace", `example=${example}`]] as const;
      const walk = openWalk(folder, kubeconfig, { texts, commands: {} });
      const [copy, look] = blocksBelow(page, "Leave the claims of a namespace alone").filter(
        ({ language }) => language === "sh",
      );
      if (!copy || !look) throw new Error("The page does not copy an example, or does not look at claims.");
      await walk.run(scriptOf([copy, look]));
      try {
        await server.eventually("the policy of the install is in force", async () => {
          run(["apply", "-f", "-"], kubeconfig, claim("shop"));
          const made = run(["get", "pvc", "data", "-n", "shop", "-o", "jsonpath={.metadata.finalizers}"], kubeconfig);
          if (made.includes(finalizer)) return true;
          run(["delete", "pvc", "data", "-n", "shop"], kubeconfig);
          return false;
        });
        run(["apply", "-f", "-"], kubeconfig, claim("ci"));
        const said = await walk.run(look.text.split("\n").at(-1) ?? "");
        expect(said).toMatch(/^shop +data +\[.*holdfast\.dev\/pvc-protection/m);
        expect(said).toMatch(/^ci +data +(?!.*holdfast)/m);
      } finally {
        run(["delete", "pvc", "data", "-n", "ci", "--ignore-not-found", "--wait=false"], kubeconfig);
        run(["delete", "pvc", "data", "-n", "shop", "--ignore-not-found", "--wait=false"], kubeconfig);
        await installs.end();
      }
    });
  },
);
