import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { preDrainHook, preTerminateHook } from "../../../functions/satellite/lib/machine.ts";
import { rules } from "../../satellite/rules.ts";
import { addressIn, authorityOf } from "../authority.ts";
import { kubectl, run } from "../kubectl.ts";
import { makeNamespace } from "../make-namespace.ts";
import { ownCluster } from "../own-cluster.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import { openWalk, type Walk } from "./walk.ts";

const page = "docs/satellites.md";

/** As little of Cluster API's definition as `kubectl get` needs. */
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "machines.cluster.x-k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, a test" } },
  spec: {
    group: "cluster.x-k8s.io",
    names: { kind: "Machine", plural: "machines", singular: "machine" },
    scope: "Namespaced",
    versions: [{ name: "v1beta2", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const machine = (name: string, annotations: Record<string, string>) => ({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Machine",
  metadata: { name, namespace: "default", annotations },
});

const onAnotherCluster = () => blocksBelow(page, "Machines on another cluster");

/** What the rules declare of objects of Cluster API. Events about these are recorded there, and never deleted. */
const declared = rules
  .flatMap(({ permissions }) => permissions)
  .filter(({ resource }) => /^(infrastructure\.)?cluster\.x-k8s\.io\//.test(resource.apiVersion))
  .flatMap(({ resource: { apiVersion, plural }, verbs }) =>
    verbs.map((verb) => `${verb} ${plural}.${apiVersion.split("/")[0]}`),
  )
  .concat("create events.events.k8s.io", "get events.events.k8s.io");

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

describe.skipIf(!ownCluster || !kubectl)(`${page}: Machines, on a real control plane`, () => {
  if (!ownCluster) return;
  const { kubeconfig } = ownCluster;
  const folder = mkdtempSync(join(tmpdir(), "walk-machines-"));
  const create = (object: object) => run(["create", "-f", "-"], kubeconfig, JSON.stringify(object));
  let walk: Walk;

  beforeAll(() => {
    create(definition);
    run(["wait", "--for=condition=established", "crd", definition.metadata.name, "--timeout=60s"], kubeconfig);
    walk = openWalk(folder, kubeconfig, { texts: [["\u0000", ""]], commands: {} });
  });
  afterAll(() => {
    run(["delete", "crd", definition.metadata.name], kubeconfig);
    run(["delete", "clusterrole,namespace", "holdfast-machines", "--ignore-not-found"], kubeconfig);
    run(["delete", "rolebinding", "holdfast-machines", "-n", "default", "--ignore-not-found"], kubeconfig);
    run(["delete", "secret", "holdfast-cluster-api", "-n", "holdfast", "--ignore-not-found"], kubeconfig);
    rmSync(folder, { recursive: true });
  });

  test("the check after the install shows which Machine has no hooks", async () => {
    create(machine("held", { [preDrainHook]: "", [preTerminateHook]: "" }));
    create(machine("not-held", {}));
    const [look] = blocksBelow(page, "With Cluster API");
    const said = await walk.run(scriptOf(look ? [look] : []));
    expect(said).toMatch(/^default +held +<none> *$/m);
    expect(said).toMatch(/^default +not-held +<none> +<none> +<none> *$/m);
  });

  test.for(["With Knative", "Without Knative"])(
    "%s: the patch names the kubeconfig of the other cluster",
    async (way) => {
      const [patch] = onAnotherCluster();
      const [overlay] = blocksBelow(page, "2. The functions").filter(({ intro }) => intro === `${way}:`);
      if (!overlay || !patch) throw new Error("The page has no such overlay or patch.");
      const patched = overlay.text.replace(/^patches:\n(.|\n)*/m, () => patch.text);
      await walk.run(scriptOf([{ ...overlay, text: patched }]));
      const built = await walk.run("kubectl kustomize my-overlay");
      expect(built).toContain("  CLUSTER_API_KUBECONFIG: /etc/holdfast/cluster-api/value\n");
      expect(built).toContain("  LINSTOR_URL: https://linstor-controller.piraeus-datastore.svc:3371\n");
    },
  );

  test("the account of the other cluster may do what functions declare of Machines, and no more", async () => {
    const [, ...blocks] = onAnotherCluster();
    makeNamespace("holdfast", kubeconfig);
    // The cluster of the Machines is the one of Holdfast here. An administrator's kubeconfig names its authority.
    const admin = join(folder, "admin");
    copyFileSync(kubeconfig, admin);
    const name = run(["config", "view", "--minify", "-o", "jsonpath={.clusters[0].name}"], admin);
    const authority = await authorityOf(addressIn(kubeconfig));
    run(["config", "unset", `clusters.${name}.insecure-skip-tls-verify`], admin);
    run(["config", "set-cluster", name, `--certificate-authority=${authority}`], admin);
    const said = await walk.run(`export KUBECONFIG=${admin}\n${scriptOf(blocks)}`);
    expect(said).toMatch(/^yes$/m);
    const role = JSON.parse(run(["get", "clusterrole", "holdfast-machines", "-o", "json"], kubeconfig));
    const granted = (role.rules as PolicyRule[]).flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((plural) => verbs.map((verb) => `${verb} ${plural}.${group}`))),
    );
    expect(granted.toSorted()).toEqual([...new Set(declared)].sort());
    const value = run(
      ["get", "secret", "holdfast-cluster-api", "-n", "holdfast", "-o", "jsonpath={.data.value}"],
      kubeconfig,
    );
    const account = join(folder, "account");
    writeFileSync(account, Buffer.from(value, "base64"));
    create(machine("reached", {}));
    run(["annotate", "machine", "reached", "-n", "default", `${preDrainHook}=`], account);
    expect(run(["get", "machine", "reached", "-n", "default", "-o", "yaml"], account)).toContain(preDrainHook);
    for (const refused of [
      ["get", "machines", "-n", "default"],
      ["get", "machine", "reached", "-n", "kube-system"],
      ["delete", "machine", "reached", "-n", "default"],
      ["get", "secrets", "-n", "holdfast-machines"],
    ])
      expect(() => run(refused, account)).toThrow("Forbidden");
  });
});
