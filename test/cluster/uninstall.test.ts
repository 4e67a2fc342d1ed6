import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Namespace } from "../../shared/kubernetes/kind.ts";
import type { Setting } from "../harness/cluster.ts";
import { poll } from "../harness/poll.ts";
import { root } from "../manifests/kustomization.ts";
import { shipped } from "../scenarios/undelete/settings.ts";
import { nothingHangs, plays, playsBeside } from "../scenarios/uninstall/plays.ts";
import { kubectl, run } from "./kubectl.ts";
import { buildOverlay } from "./kustomize/build.ts";
import { chosen, overlayOf } from "./kustomize/chosen-systems.ts";
import { leftOf } from "./left-of-install.ts";
import { makeNamespace } from "./make-namespace.ts";
import { backendOnCluster } from "./open-backend.ts";
import { ownCluster } from "./own-cluster.ts";
import { share } from "./share.ts";

const cluster = ownCluster;
const { HOLDFAST_KNATIVE_CRDS: definitions } = process.env;
const ready = Boolean(cluster && kubectl && definitions);
if (cluster && !ready)
  console.log(
    "Installs are not uninstalled: that takes kubectl in KUBEBUILDER_ASSETS and Knative's definitions in " +
      "HOLDFAST_KNATIVE_CRDS.",
  );

const policy = "pvc-protection/admission-policy";
const byDefault = Object.keys(plays);
/** Of satellites and of agents: Holdfast has Roles there, and the administrator makes them. */
const namespaces = ["piraeus-datastore", "yaook"];

/** What an administrator applies, and the systems of which that has functions. */
interface Install {
  readonly systems: readonly string[];
  readonly overlay: { readonly resources: readonly string[]; readonly components?: readonly string[] };
  readonly withoutKnative?: true;
}

const alone = (systems: readonly string[]): Install => {
  const { resources, components } = overlayOf(systems);
  const more = systems.includes("pvc-protection") ? [`knative/${policy}`] : [];
  return { systems, overlay: { resources, components: [...components, ...more] } };
};

/** Those whose main scenario is played: of two with a counterpart of their own, one has it in this world. */
function atWork(systems: readonly string[]): readonly string[] {
  const beside = systems.find((system) => playsBeside[system]);
  return systems.filter((system) => plays[system] || system === beside);
}

const called = (systems: readonly string[]) => {
  const idle = systems.filter((system) => !atWork(systems).includes(system));
  return [systems.join(" and "), ...idle.map((system) => `(${system} is idle)`)].join(" ");
};
const installs: readonly (readonly [string, Install])[] = [
  ...share(chosen).map((systems) => [called(systems), alone(systems)] as const),
  [
    "the default",
    { systems: byDefault, overlay: { resources: ["knative/overlays/default"], components: [`knative/${policy}`] } },
  ],
  [
    "the default without Knative",
    {
      systems: byDefault,
      overlay: { resources: ["knative/overlays/no-knative"], components: [`knative/${policy}`] },
      withoutKnative: true,
    },
  ],
];

describe.skipIf(!ready)("an install on a real control plane", () => {
  if (!cluster) return;
  const { open } = backendOnCluster(cluster);
  const call = (...options: string[]) => run(options, cluster.kubeconfig);
  const knative = (verb: string, ...options: string[]) =>
    call(verb, "--recursive", "-f", definitions ?? "", ...options);

  /** Waits until kinds that were just defined can be listed: for a moment the API server answers 429. */
  const served = () =>
    poll(
      "every kind is listed",
      async () => {
        try {
          return everything();
        } catch {
          return false;
        }
      },
      { within: 180_000 },
    );

  beforeAll(async () => {
    knative("apply", "--server-side");
    call("wait", "--for=condition=established", "--all", "crd", "--timeout=180s");
    await served();
    for (const name of namespaces) makeNamespace(name, cluster.kubeconfig);
  });
  afterAll(() => {
    knative("delete", "--ignore-not-found");
    call("delete", "namespace", "--ignore-not-found", "--timeout=180s", ...namespaces);
  });

  const everything = () => leftOf(cluster.kubeconfig);

  test.each(installs)("of %s is uninstalled by the README's command, and nothing hangs", async (_, install) => {
    if (install.withoutKnative) knative("delete", "--ignore-not-found");
    const objects = buildOverlay(install.overlay);
    const others = byDefault.filter((system) => !install.systems.includes(system));
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
    const apply = () => run(["apply", "--server-side", "--force-conflicts", "-f", "-"], cluster.kubeconfig, list);
    // What is of a kind that the install itself brings is refused until that is served.
    if (objects.some(({ kind }) => kind === "CustomResourceDefinition")) {
      const crds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
      const first = JSON.stringify({ apiVersion: "v1", kind: "List", items: crds });
      run(["apply", "--server-side", "--force-conflicts", "-f", "-"], cluster.kubeconfig, first);
      call("wait", "--for=condition=established", "--all", "crd", "--timeout=180s");
      await served();
    }
    apply();

    const changes: Partial<Setting> = {
      name: install.systems.join(" and "),
      leaveOut: ({ metadata }) => others.includes(metadata.labels?.["app.kubernetes.io/name"] ?? ""),
      ...(install.withoutKnative ? { withoutKnative: true } : {}),
    };
    const [beside] = install.systems.flatMap((system) => playsBeside[system] ?? []);
    const components = install.systems.includes("pvc-protection") ? [policy] : [];
    const setting: Setting = beside?.setting(changes) ?? { ...shipped, ...changes, components };
    const world = await open(setting, { whenOver: () => {} });
    const after = [];
    for (const system of atWork(install.systems)) {
      const check = await (plays[system] ?? beside?.play)?.(world);
      if (check) after.push(check);
    }

    const command = join(root, "cli/main.ts");
    const args = [command, "uninstall", "--yes", "--kubeconfig", cluster.kubeconfig];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    for (const check of after) await check(stdout);
    await nothingHangs(world);
    expect(everything()).toEqual([]);
    expect(await world.admin.get(Namespace, undefined, "holdfast")).toBeUndefined();
  });
});
