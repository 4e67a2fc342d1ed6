import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { writePolicyOf } from "../../build/manifests/write-policy.ts";
import { daemonSetName } from "../../functions/satellite/lib/kinds.ts";
import { offerKey } from "../../functions/undelete/lib/note.ts";
import { volumeFinalizer } from "../../functions/volume/lib/volume.ts";
import { type DeclaredWrites, isDeclared } from "../../shared/declared-writes.ts";
import { groupOf, type Kind, pathOf } from "../../shared/kubernetes/kind.ts";
import type { ObjectMeta } from "../../shared/kubernetes/object.ts";
import { progressWrites } from "../../shared/pipeline/hold-to-declared.ts";
import { slug } from "../../shared/rule.ts";
import { install } from "../harness/installation.ts";
import { claim, definition, manifest, statefulSet } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";

type List = keyof DeclaredWrites;
const declared = await loadDeclared(join(import.meta.dirname, "../.."));
const [undeclared, present] = ["example.com/undeclared", "example.com/present"];

const { serviceName: _, replicas: __, ...daemonSet } = statefulSet({ name: "a" }).spec as Record<string, unknown>;
const source = { csi: { driver: "a.example", volumeHandle: "a" }, persistentVolumeReclaimPolicy: "Retain" };
// The uid is the value of the labels that the test writes: some policies ask for the uid of a claim there.
const claimRef = { namespace: "default", name: "a", uid: "a" };
const persistentVolume = { ...source, claimRef, accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } };

/** Kinds of every API server, each with a spec and a field to forge; custom kinds get a definition of the test. */
const builtin: Readonly<Record<string, { spec?: unknown; forge?: readonly [field: string, value: unknown] }>> = {
  ConfigMap: { forge: ["immutable", true] },
  DaemonSet: { spec: daemonSet },
  Lease: { forge: ["spec.holderIdentity", "a"] },
  Namespace: {},
  Node: { forge: ["spec.unschedulable", true] },
  PersistentVolume: { spec: persistentVolume, forge: ["spec.claimRef.namespace", "kube-system"] },
  PersistentVolumeClaim: { spec: claim({}).spec, forge: ["spec.volumeName", "a"] },
  StatefulSet: { spec: statefulSet({ name: "a" }).spec, forge: ["spec.template.spec.hostPID", true] },
};

/** What each account may not write, derived from its function's declaration. */
export function forgedWrites(open: () => Promise<Bench>): void {
  test("each account is refused undeclared writes to what it may patch, and may write its metadata", async () => {
    const bench = await open();
    const { admin, namespace } = bench;
    // The real definitions are other tests'.
    const ofTest = (kind: Kind) =>
      kind.kind in builtin ? kind : { ...kind, apiVersion: `test.${namespace}.${groupOf(kind) || "core"}/v1` };
    const functions = declared.map((one) => {
      return { ...one, permissions: one.permissions.map((of) => ({ ...of, resource: ofTest(of.resource) })) };
    });
    const pairs = functions.flatMap((one) => {
      const patching = one.permissions.filter(({ subresource, verbs }) => !subresource && verbs.includes("patch"));
      return [...Map.groupBy(patching, ({ resource }) => resource.kind).values()].map((of) => {
        const all = [...of.map(({ writes }) => writes), progressWrites(one)];
        const { resource: kind } = of[0] as (typeof of)[number];
        return { account: one.name, kind, ours: (list: List) => all.flatMap((writes) => writes?.[list] ?? []) };
      });
    });
    const kinds = [...new Map(pairs.map(({ kind }) => [kind.kind, kind])).values()];
    const policies = JSON.stringify(functions.flatMap(writePolicyOf)).replaceAll('"holdfast-', `"${namespace}-`);
    const definitions = kinds.filter(({ kind }) => !(kind in builtin)).map(definition);
    const uninstall = await install(admin, [...definitions, ...JSON.parse(policies)]);
    onTestFinished(async () => void (await uninstall()));
    const objects = new Map<string, ObjectMeta>();
    for (const kind of kinds) objects.set(kind.kind, await create(bench, kind));

    const wrong = async ({ account, kind, ours }: (typeof pairs)[number]) => {
      const metadata = objects.get(kind.kind) as ObjectMeta;
      const headers = {
        "content-type": "application/merge-patch+json",
        "impersonate-user": `system:serviceaccount:${namespace}:${slug(account)}`,
        // It has all rights: only a policy can refuse it.
        "impersonate-group": "system:masters",
      };
      const path = `${pathOf(kind, metadata.namespace, metadata.name)}?dryRun=All`;
      const found: string[] = [];
      for (const [list, , patch] of patchesOf(kind, metadata, ours)) {
        const wanted = list ? `denied request: ${account} only changes these ${list} of a ${kind.kind}: ` : "taken";
        const answer = await admin.request("PATCH", path, patch, headers).then(() => "taken", String);
        if (!answer.includes(wanted)) found.push(`${account}, ${kind.kind}, ${JSON.stringify(patch)}: ${answer}`);
      }
      return found;
    };
    // A real server learns of policies by watching them, in the order in which they were created.
    const last = pairs.slice(-1);
    const isLastInForce = async () =>
      !(await Promise.all(last.map(wrong))).flat().some((one) => one.endsWith(" taken"));
    await bench.eventually("the last policy is in force", isLastInForce);
    expect((await Promise.all(pairs.map(wrong))).flat()).toEqual([]);
  });
}

const owner = { apiVersion: "example.com/v1", name: "a", uid: "a" };

/** Undeclared patches, each with the list whose message refuses it; the last, without one, is all declared metadata. */
function patchesOf({ kind }: Kind, { finalizers = [] }: ObjectMeta, ours: (list: List) => readonly string[]) {
  const [field = "", value] = kind in builtin ? (builtin[kind]?.forge ?? []) : ["undeclared", "a"];
  const isOurs = (list: List, name: string) => ours(list).some((one) => name.startsWith(`${one}.`));
  const forged: readonly (readonly [List, string, object])[] = [
    ["annotations", undeclared, { metadata: { annotations: { [undeclared]: "a" } } }],
    ["labels", undeclared, { metadata: { labels: { [undeclared]: "a" } } }],
    ["finalizers", undeclared, { metadata: { finalizers: [...finalizers, undeclared] } }],
    ["finalizers", present, { metadata: { finalizers: finalizers.filter((one) => one !== present) } }],
    ["ownerReferences", "Sample", { metadata: { ownerReferences: [{ ...owner, kind: "Sample" }] } }],
    ["fields", field, field.split(".").reduceRight((inner, key) => ({ [key]: inner }), value) as object],
  ];
  const map = (list: List) => Object.fromEntries(ours(list).map((key) => [key.replace("*", "a"), "a"]));
  const own = { finalizers: [...new Set([...finalizers, ...ours("finalizers")])] };
  return [
    ...forged.filter(([list, name]) => name && !isDeclared(ours(list), name) && !isOurs(list, name)),
    [undefined, "", { metadata: { ...own, annotations: map("annotations"), labels: map("labels") } }] as const,
  ];
}

async function create({ admin, namespace, eventually }: Bench, kind: Kind): Promise<ObjectMeta> {
  await eventually(`${kind.kind} is served`, () => admin.request("GET", pathOf(kind)).then(Boolean, () => false));
  // Some policies ask for the name of what belongs to a satellite, or for the finalizer of Volumes.
  const name = /DaemonSet|ConfigMap/.test(kind.kind) ? daemonSetName(namespace) : `${namespace}-a`;
  // What only people write is there, with the value that the test writes: functions may remove it.
  const annotations = { [offerKey]: "a" };
  const finalizers = [present, volumeFinalizer];
  const metadata = { name, ...(kind.namespaced ? { namespace } : {}), annotations, finalizers };
  const { spec } = builtin[kind.kind] ?? {};
  const made = await admin.create(kind, manifest(kind, metadata, spec ? { spec } : {}));
  onTestFinished(async () => {
    await admin.patch(kind, metadata.namespace, name, "merge", { metadata: { finalizers: null } });
    await admin.delete(kind, metadata.namespace, name);
  });
  return made.metadata;
}
