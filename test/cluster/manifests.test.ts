import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Declared, loadDeclared, loadSystems } from "../../build/manifests/declared.ts";
import { installedByDefault } from "../../build/manifests/manifests.ts";
import { statusKey } from "../../functions/platform/lib/sweep-status.ts";
import { groupOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { slug } from "../../shared/rule.ts";
import { holdfastProtection } from "../../shared/storage/protection.ts";
import { readKustomization, root, standard } from "../manifests/kustomization.ts";
import { identityOf } from "../manifests/references.ts";
import { faultsOf } from "../manifests/schemas/schemas.ts";
import { kubectl, run } from "./kubectl.ts";
import { build, buildOverlay } from "./kustomize/build.ts";
import { makeNamespace } from "./make-namespace.ts";
import { ownCluster } from "./own-cluster.ts";

const cluster = ownCluster;
const { HOLDFAST_KNATIVE_CRDS: definitions } = process.env;
const ready = Boolean(cluster && kubectl && definitions);
if (cluster && !ready)
  console.log(
    "The manifests are not applied: that takes kubectl in KUBEBUILDER_ASSETS and Knative's definitions in " +
      "HOLDFAST_KNATIVE_CRDS.",
  );

const functions = await loadDeclared(root);
const declaredSystems = await loadSystems(root);
const byDefault = installedByDefault(functions, declaredSystems);
const optional = [...declaredSystems.values()].flatMap((system) => (system.optional ? [system.name] : []));
const folder = (path: string) => join(root, path);

interface RulesReview {
  readonly status: {
    readonly incomplete: boolean;
    readonly resourceRules: readonly {
      readonly verbs: readonly string[];
      readonly apiGroups: readonly string[];
      readonly resources: readonly string[];
      readonly resourceNames?: readonly string[];
    }[];
  };
}

describe.skipIf(!ready)("the manifests on a real API server", () => {
  const call = (...options: string[]) => run(options, cluster?.kubeconfig);
  const apply = (path: string, ...options: string[]) =>
    call("apply", "--server-side", "--validate=strict", ...options, "-k", folder(path));
  const given = (object: object, ...options: string[]): KubernetesObject =>
    JSON.parse(run(["create", "-f", "-", "-o", "json", ...options], cluster?.kubeconfig, JSON.stringify(object)));

  /** Of satellites: Holdfast has a Role there, and does not make it. */
  const others = ["piraeus-datastore", "linstor", "yaook", "openstack"];
  beforeAll(() => {
    for (const name of others) makeNamespace(name, cluster?.kubeconfig);
    call("apply", "--server-side", "--recursive", "-f", definitions ?? "");
    call("wait", "--for=condition=established", "--all", "crd", "--timeout=60s");
    apply("knative");
  });
  afterAll(() => {
    call("delete", "--ignore-not-found", "--timeout=100s", "-k", folder("knative"));
    call("delete", "--ignore-not-found", "--recursive", "-f", definitions ?? "");
    call("delete", "namespace", "--ignore-not-found", "--timeout=100s", ...others);
  });

  test("are what a second apply leaves as it is", () =>
    expect(call("diff", "--server-side", "-k", folder("knative"))).toBe(""));

  /** The versions of all objects of the install, by their names. */
  const versions = (): Record<string, string> => {
    const kinds =
      "ns,cm,sa,clusterroles,clusterrolebindings,roles,rolebindings,ksvc,brokers,triggers,apiserversources,pingsources";
    const selected = ["--all-namespaces", "-l", "app.kubernetes.io/part-of=holdfast", "-o", "json"];
    const { items } = JSON.parse(call("get", kinds, ...selected)) as { items: KubernetesObject[] };
    return Object.fromEntries(items.map((item) => [identityOf(item), item.metadata.resourceVersion]));
  };

  test("are left as they are by a second apply, whichever way, and so is what the sweep has written on them", () => {
    const written = { metadata: { annotations: { [statusKey]: '{"v":1}' } } };
    call("patch", "cm", "-n", "holdfast", "holdfast-sweep", "--type=merge", "-p", JSON.stringify(written));
    const before = versions();
    expect(Object.keys(before).length).toBeGreaterThan(50);
    apply("knative");
    expect(versions()).toEqual(before);

    const client = () => call("apply", "--validate=strict", "-k", folder("knative")).trim().split("\n");
    client();
    for (const line of client()) expect(line).toMatch(/ unchanged$/);
    expect(call("get", "cm", "-n", "holdfast", "holdfast-sweep", "-o", "json")).toContain(statusKey);
  });

  test("a tool may take over by server-side apply what kubectl has applied, without a conflict", () => {
    const path = folder("knative/overlays/admission-policies");
    call("apply", "-k", path);
    expect(() => call("apply", "--server-side", "--field-manager=another-tool", "-k", path)).not.toThrow();
    expect(call("diff", "--server-side", "--field-manager=another-tool", "-k", path)).toBe("");
    call("delete", "mutatingadmissionpolicies", "-l", "app.kubernetes.io/part-of=holdfast");
  });

  /** What the server has taken already: most overlays differ from one another in a few objects. */
  const taken = new Set<string>();
  const tryOut = (objects: readonly KubernetesObject[]) => {
    expect(objects).not.toEqual([]);
    const items = objects.filter((object) => !taken.has(JSON.stringify(object)));
    if (items.length === 0) return;
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const options = ["--server-side", "--validate=strict", "--dry-run=server", "--force-conflicts", "-f", "-"];
    expect(run(["apply", ...options], cluster?.kubeconfig, list)).toContain("serverside-applied");
    for (const object of items) taken.add(JSON.stringify(object));
  };

  const systems = new Set(functions.map(({ name }) => name.split("/")[0]));
  test.each([
    // Some examples are for what users install: components without an object of their own. Flux's kinds are not here.
    ...globSync("knative/{examples,overlays}/*", { cwd: root }).filter(
      (path) => path !== "knative/examples/flux" && readKustomization(path).kind === "Kustomization",
    ),
    ...[...systems].flatMap((system) => globSync(`knative/${system}/*/`, { cwd: root })),
  ])("%s is taken with strict validation", (path) => tryOut(build(path)));

  const parts = globSync(["knative/components/*/", "knative/overlays/no-knative/*/"], { cwd: root });
  test.each(parts)("%s is taken with strict validation, on top of what it is for", (path) => {
    const above = dirname(path);
    const before = path.endsWith("kafka-ordered") ? ["knative/components/kafka"] : [];
    const resources = above.startsWith("knative/overlays") ? [above] : [standard];
    tryOut(buildOverlay({ resources, components: [...before, path] }));
  });

  test(
    "a misspelt field is refused where Knative's definitions know all fields, " +
      "and found by our own schemas where not",
    () => {
      const [trigger] = readKustomization("knative").objects.filter(({ kind }) => kind === "Trigger");
      const misspelt = { ...trigger, spec: { ...(trigger?.spec as object), subscribers: {} } };
      const options = [
        "apply",
        "--server-side",
        "--validate=strict",
        "--dry-run=server",
        "--force-conflicts",
        "-f",
        "-",
      ];
      expect(run(options, cluster?.kubeconfig, JSON.stringify(misspelt))).toContain("serverside-applied");
      expect(faultsOf(misspelt as unknown as KubernetesObject)).toEqual([expect.stringContaining("subscribers")]);
    },
  );

  /** What an account may in a namespace beside what everybody may, by the authorizer's own list, sorted. */
  const grantedTo = (name: string, inside: string): readonly string[] => {
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace: inside },
    };
    const account = `--as=system:serviceaccount:holdfast:${slug(name)}`;
    const path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    const options = ["create", "--raw", path, "-f", "-", account];
    const { status } = JSON.parse(run(options, cluster?.kubeconfig, JSON.stringify(review))) as RulesReview;
    expect(status.incomplete).toBe(false);
    return status.resourceRules
      .flatMap(({ verbs, apiGroups, resources, resourceNames = [] }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) =>
            verbs.map((verb) => [verb, `${resource}.${group}`, ...resourceNames].join(" ")),
          ),
        ),
      )
      .filter((grant) => !/ selfsubject\w+\.(authentication|authorization)\.k8s\.io$/.test(grant))
      .sort();
  };

  const reviewAccount = (name: string, { permissions }: Declared) => {
    for (const inside of ["holdfast", "default"]) {
      const declared = permissions
        .filter(({ overlay, namespaceSetting }) => !overlay && !namespaceSetting)
        .filter(({ ownNamespace }) => !ownNamespace || inside === "holdfast")
        .flatMap(({ resource, subresource, names = [], verbs }) => {
          const path = [resource.plural, ...(subresource ? [subresource] : [])].join("/");
          return verbs.map((verb) => [verb, `${path}.${groupOf(resource)}`, ...names].join(" "));
        });
      expect(grantedTo(name, inside), inside).toEqual([...new Set(declared)].sort());
    }
  };

  test.each(byDefault.map((declared) => [declared.name, declared] as const))(
    "the account of %s may do what it declares and nothing else",
    reviewAccount,
  );

  test.each(["pvc-protection", "pvc-retention"])(
    "the admission policy of %s is left as it is by a second apply from the client",
    (system) => {
      const policy = folder(`knative/${system}/admission-policy`);
      try {
        call("apply", "-k", policy);
        for (const line of call("apply", "-k", policy).trim().split("\n")) expect(line).toMatch(/ unchanged$/);
      } finally {
        call("delete", "-k", policy);
      }
    },
  );

  test("the admission policy adds its finalizer to those that are there", async () => {
    const policy = "knative/pvc-protection/admission-policy";
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { generateName: "stamped-", namespace: "default", finalizers: ["example.com/mine"] },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    const stamped = () => given(claim, "--dry-run=server").metadata.finalizers ?? [];
    apply(policy);
    try {
      // The API server takes a new policy up after a moment.
      await expect.poll(stamped, { timeout: 180_000 }).toContain(holdfastProtection);
      expect(stamped()).toContain("example.com/mine");
    } finally {
      call("delete", "-k", folder(policy));
    }
    await expect.poll(stamped, { timeout: 180_000 }).not.toContain(holdfastProtection);
  });

  describe.each(optional)("with the overlay %s", (system) => {
    const members = functions.filter(({ name }) => name.startsWith(`${system}/`));
    beforeAll(() => apply(`knative/overlays/${system}`, "--force-conflicts"));

    test.each(members.map((declared) => [declared.name, declared] as const))(
      "the account of %s may do what it declares and nothing else",
      reviewAccount,
    );
  });

  test("are taken away whole by one delete", async () => {
    call("delete", "--timeout=100s", "-k", folder("knative"));
    const left = Object.keys(versions()).filter((name) => !optional.some((system) => name.includes(system)));
    expect(left).toEqual([]);
    for (const system of optional)
      call("delete", "--ignore-not-found", "--wait=false", "-k", folder(`knative/overlays/${system}`));
    await expect.poll(versions, { timeout: 100_000, interval: 1_000 }).toEqual({});
    call("delete", "--wait=false", "namespace", ...others);
  });
});
