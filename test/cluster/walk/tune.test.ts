import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
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

/** What an administrator does by hand: appends the filter of the page to each Trigger of PVC protection. */
function withFilter(eventing: string, snippet: string): string {
  const { patches } = parse(snippet) as { patches: readonly [{ readonly patch: string }] };
  const [{ value: filter }] = parse(patches[0].patch) as readonly [{ readonly value: object }];
  const objects = parseAllDocuments(eventing).map((document) => document.toJS());
  for (const { kind, metadata, spec } of objects)
    if (kind === "Trigger" && metadata.labels["app.kubernetes.io/name"] === "pvc-protection") spec.filters.push(filter);
  return objects.map((object) => stringify(object)).join("---\n");
}

const claim = (namespace: string) => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data, namespace: ${namespace} }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;

describe.skipIf(!cluster || !kubectl || !definitions)(
  `${page}: a namespace left out, and a filter, on a real control plane`,
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

    test("Without Knative: a filter is in the ConfigMap that platform-source has", async () => {
      await installs.begin("Without Knative");
      const folder = mkdtempSync(join(tmpdir(), "walk-filter-"));
      folders.push(folder);
      const walk = openWalk(folder, kubeconfig, { texts: [["\u0000", ""]], commands: {} });
      const blocks = blocksBelow(page, "Filters of Triggers");
      const [snippet] = blocks;
      const overlay = blocks.find(({ text }) => text.startsWith("# my-overlay/"));
      const look = blocks.find(({ text }) => text.includes("of_source="));
      if (!snippet || !overlay || !look) throw new Error("The page has no such filter, overlay or command.");
      try {
        mkdirSync(join(walk.checkout, "my-overlay"));
        const file = "eventing.yaml";
        const theirs = readFileSync(join(walk.checkout, "knative/overlays/no-knative", file), "utf8");
        writeFileSync(join(walk.checkout, "my-overlay", file), withFilter(theirs, snippet.text));
        await walk.run(scriptOf([overlay]));
        await walk.run(
          "npm run --silent resolve -- -k my-overlay --repo r > holdfast.yaml; kubectl apply -f holdfast.yaml",
        );
        // No function runs here, so `status` fails.
        const said = await walk.run(look.text.replace(/^npm .*status$/m, ""));
        expect(said).toMatch(/^ +namespace: ci$/m);
      } finally {
        await installs.end();
      }
    });
  },
);
