import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readManifests } from "../../eventing/read-manifests.ts";
import { lockPrefix, maintenanceLabel } from "../../functions/eviction/lib/node-lock.ts";
import { offerKey } from "../../functions/undelete/lib/note.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { Event, type Kind, PersistentVolumeClaim, pathOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { progressKey } from "../../shared/progress.ts";
import { holdfastProtection, inTreeProtection } from "../../shared/storage/protection.ts";
import { install } from "../harness/installation.ts";
import { ConfigMap, Node, PersistentVolume, StatefulSet } from "../harness/kinds.ts";
import { claim, configMap, manifest, persistentVolume, reachedFrom, statefulSet } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { tokenOf } from "../harness/service-account.ts";

const DaemonSet: Kind = { apiVersion: "apps/v1", kind: "DaemonSet", plural: "daemonsets", namespaced: true };

/** A write that an account tries, as a dry run: admission sees it, and nothing changes. */
type Attempt =
  | { readonly patch: Kind; readonly with: object; readonly subresource?: string }
  | { readonly create: Kind; readonly object: object }
  | { readonly delete: Kind };

interface Case {
  /** The function whose account tries. */
  readonly account: string;
  /** What it tries it on, where an account has several cases. */
  readonly on?: string;
  /** Of the objects, where the policy asks for one. */
  readonly name?: string;
  /** It has all rights, where some servers ask for more of them than the policy: only that can refuse it. */
  readonly hasAllRights?: true;
  /** What an overlay puts in place of the value of the policy's variable FINALIZER. */
  readonly finalizer?: string;
  readonly objects: readonly [Kind, (metadata: { name: string; namespace: string }) => KubernetesObject][];
  /** What another manager has applied to each of them. */
  readonly applied?: Readonly<Record<string, unknown>>;
  readonly declared: Readonly<Record<string, Attempt>>;
  readonly forged: Readonly<Record<string, Attempt>>;
}

const owned = (kind: string, apiVersion = "apps/v1", name = "a") => ({
  metadata: { ownerReferences: [{ apiVersion, kind, name, uid: "a" }] },
});

const held = (spec: object) => ({
  ...{ manager: "another", operation: "Apply", apiVersion: "apps/v1", time: "2026-01-01T00:00:00Z" },
  ...{ fieldsType: "FieldsV1", fieldsV1: { "f:spec": spec } },
});
const heldPolicy = { "f:persistentVolumeClaimRetentionPolicy": { "f:whenDeleted": {} } };

const set: Case["objects"][number] = [StatefulSet, (metadata) => statefulSet(metadata)];
const aClaim: Case["objects"][number] = [PersistentVolumeClaim, (metadata) => claim(metadata)];
const protectedClaim: Case["objects"][number] = [
  PersistentVolumeClaim,
  (metadata) => claim({ ...metadata, finalizers: [inTreeProtection] }),
];
const volumeOf = (uid: object, metadata: object = {}): Case["objects"][number] => [
  PersistentVolume,
  ({ name, namespace }) => localVolume(name, { claimRef: { namespace, name: "data", ...uid } }, metadata),
];
const volume = volumeOf({ uid: "1" });

/** The note of undelete on a volume that was Delete, and of claim 0 before it was of claim 1. */
const noting = (policy: string, uid: string) => ({
  annotations: {
    [progressKey("undelete/note")]: JSON.stringify({ v: 1, policy, claim: { namespace: "a", name: "data", uid } }),
  },
});
const noted = noting("Delete", "0");
const forgedNotes = {
  "a policy that it never had": { spec: { persistentVolumeReclaimPolicy: "Recycle" } },
  "a note of a policy that it never had": { metadata: noting("Recycle", "0") },
  "a note of a claim that it was never of": { metadata: noting("Delete", "2") },
  "a label of a claim that it was never of": { metadata: { labels: { "holdfast.dev/offered-of": "2" } } },
  "the permission of an administrator": { metadata: { annotations: { [offerKey]: "yes" } } },
};

function localVolume(name: string, more: object = {}, metadata: object = {}): KubernetesObject {
  const local = { path: "/dev/disk/by-uuid/a" };
  const spec = { local, nodeAffinity: reachedFrom(["n"]), storageClassName: "none", ...more };
  return persistentVolume({ name, ...metadata }, spec);
}

const patchesOf = (kind: Kind, patches: Readonly<Record<string, object>>): Record<string, Attempt> =>
  Object.fromEntries(
    Object.entries(patches).map(([name, patch]) => [`${kind.kind}: ${name}`, { patch: kind, with: patch }]),
  );

const eventOf = (reportingController: string) => ({
  eventTime: "2026-01-01T00:00:00.000000Z",
  type: "Normal",
  reason: "Held",
  action: "Hold",
  note: "It is held.",
  reportingController,
  reportingInstance: "a",
});

const anEvent: Case["objects"][number] = [
  Event,
  (metadata) =>
    manifest(Event, metadata, { ...eventOf("kubelet"), regarding: { kind: "PersistentVolumeClaim", ...metadata } }),
];

const hostPath = { local: null, hostPath: { path: "/" } };
const guarded = "storage.metalk8s.scality.com/volume-protection";
const ofVolume = {
  finalizers: [guarded],
  ownerReferences: [{ apiVersion: "storage.metalk8s.scality.com/v1alpha1", kind: "Volume", name: "made", uid: "a" }],
};

const cases: readonly Case[] = [
  {
    account: "platform/dead-letter",
    objects: [],
    declared: { "the ring buffer": { create: ConfigMap, object: { data: { a: "{}" } } } },
    forged: {
      "a ring buffer that is a table of the sweep": {
        create: ConfigMap,
        object: { metadata: { labels: { "holdfast.dev/sweep-table": "true" } } },
      },
      "another ConfigMap": { create: ConfigMap, object: { metadata: { name: "another" } } },
    },
  },
  {
    account: "pvc-protection/release",
    objects: [protectedClaim, anEvent],
    declared: { "an Event": { create: Event, object: eventOf("holdfast.dev/pvc-protection-release") } },
    forged: {
      ...patchesOf(PersistentVolumeClaim, {
        owner: owned("StatefulSet"),
        "the finalizer of a claim that stays": { metadata: { finalizers: [] } },
      }),
      "an Event of another": { create: Event, object: eventOf("kubelet") },
      "another's Event, to delete it": { delete: Event },
    },
  },
  {
    account: "pvc-protection/protect",
    finalizer: "corp.example/keep",
    objects: [
      [PersistentVolumeClaim, (metadata) => claim({ ...metadata, finalizers: ["kubernetes.io/pvc-protection"] })],
    ],
    declared: patchesOf(PersistentVolumeClaim, {
      "the finalizer that it is set to": {
        metadata: { finalizers: ["corp.example/keep", "kubernetes.io/pvc-protection"] },
      },
    }),
    forged: patchesOf(PersistentVolumeClaim, {
      "the usual finalizer": { metadata: { finalizers: ["holdfast.dev/pvc-protection"] } },
      "no finalizer any more": { metadata: { finalizers: [] } },
    }),
  },
  {
    account: "pvc-retention/sync-policy",
    objects: [set],
    declared: patchesOf(StatefulSet, {
      policy: { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" } } },
    }),
    forged: patchesOf(StatefulSet, {
      replicas: { spec: { replicas: 7 } },
      owner: owned("Pod", "v1"),
    }),
  },
  {
    account: "pvc-retention/sync-policy",
    on: ", a set whose Retain another manager has applied",
    objects: [set],
    applied: { spec: { replicas: 1, persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } } },
    declared: patchesOf(StatefulSet, {
      "the other half": { spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } } },
    }),
    forged: patchesOf(StatefulSet, {
      policy: { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } } },
      "no managers": { metadata: { managedFields: [{}] } },
      "a manager that holds less": { metadata: { managedFields: [held({ "f:replicas": {} })] } },
      "a manager that holds the policy alone": { metadata: { managedFields: [held(heldPolicy)] } },
    }),
  },
  {
    account: "pvc-retention/set-owner",
    name: "data-a-b-0",
    hasAllRights: true,
    objects: [set, aClaim],
    declared: patchesOf(PersistentVolumeClaim, {
      "its set": owned("StatefulSet", "apps/v1", "a-b"),
      "another set that has such a claim": owned("StatefulSet", "apps/v1", "b"),
    }),
    forged: {
      ...patchesOf(StatefulSet, {
        policy: { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } } },
      }),
      ...patchesOf(PersistentVolumeClaim, {
        "another owner": owned("Pod", "v1", "a-b"),
        "a set that it is not called after": owned("StatefulSet", "apps/v1", "c"),
        "a part of the set's name": owned("StatefulSet", "apps/v1", "a"),
        "a set that leaves no ordinal": owned("StatefulSet", "apps/v1", "a-b-0"),
        "a set that leaves no template": owned("StatefulSet", "apps/v1", "data-a-b"),
      }),
    },
  },
  {
    account: "undelete/reserve",
    on: ", a volume that an administrator has offered",
    objects: [volumeOf({ uid: "1" }, { annotations: { ...noted.annotations, [offerKey]: "yes" } })],
    declared: patchesOf(PersistentVolume, { "the end of it": { metadata: { annotations: { [offerKey]: null } } } }),
    forged: patchesOf(PersistentVolume, { another: { metadata: { annotations: { [offerKey]: "no" } } } }),
  },
  {
    account: "undelete/reserve",
    objects: [volumeOf({ uid: "1" }, noted)],
    declared: patchesOf(PersistentVolume, {
      offer: { spec: { claimRef: { uid: null, resourceVersion: null } } },
      "the claim that is noted": { metadata: noting("Retain", "0"), spec: { claimRef: { uid: "0" } } },
      "a note of its claim": { metadata: noting("Delete", "1") },
    }),
    forged: patchesOf(PersistentVolume, {
      class: { spec: { storageClassName: "b" } },
      // Declared is no more than claimRef.uid and claimRef.resourceVersion.
      "claim of another tenant": { spec: { claimRef: { namespace: "kube-system", name: "b" } } },
      "a claim that it was never of": { spec: { claimRef: { uid: "2" } } },
      "a claim that is noted in the same write": { metadata: noting("Delete", "2"), spec: { claimRef: { uid: "2" } } },
      "a resourceVersion": { spec: { claimRef: { resourceVersion: "7" } } },
      ...forgedNotes,
    }),
  },
  {
    account: "undelete/retain",
    objects: [volumeOf({ uid: "1" }, noted)],
    declared: patchesOf(PersistentVolume, { policy: { spec: { persistentVolumeReclaimPolicy: "Delete" } } }),
    forged: patchesOf(PersistentVolume, { "reserved claim": { spec: { claimRef: { uid: "0" } } }, ...forgedNotes }),
  },
  {
    account: "undelete/retain",
    on: ", a volume without a note",
    objects: [volume],
    declared: patchesOf(PersistentVolume, { note: { metadata: noting("Retain", "1") } }),
    forged: patchesOf(PersistentVolume, {
      policy: { spec: { persistentVolumeReclaimPolicy: "Delete" } },
      "a note that allows it later": { metadata: noting("Delete", "1") },
    }),
  },
  {
    account: "undelete/expire",
    objects: [volumeOf({ uid: "1" }, noted)],
    declared: patchesOf(PersistentVolume, { policy: { spec: { persistentVolumeReclaimPolicy: "Delete" } } }),
    forged: patchesOf(PersistentVolume, {
      "a claim, where it has one": { spec: { claimRef: { uid: "0" } } },
      offer: { spec: { claimRef: { uid: null } } },
      ...forgedNotes,
    }),
  },
  {
    account: "undelete/expire",
    on: ", an offered volume",
    objects: [volumeOf({}, noted)],
    declared: patchesOf(PersistentVolume, {
      "its former claim": { spec: { persistentVolumeReclaimPolicy: "Delete", claimRef: { uid: "0" } } },
    }),
    forged: patchesOf(PersistentVolume, { "another claim": { spec: { claimRef: { uid: "2" } } } }),
  },
  {
    account: "volume/run-job",
    objects: [],
    declared: { "a local volume": { create: PersistentVolume, object: localVolume("made", {}, ofVolume) } },
    forged: {
      "a volume of the host": { create: PersistentVolume, object: localVolume("made", hostPath, ofVolume) },
      "a volume without an owner": { create: PersistentVolume, object: localVolume("made") },
    },
  },
  {
    account: "volume/delete-pv",
    objects: [volume],
    declared: {},
    forged: {
      "another's volume": { delete: PersistentVolume },
      ...patchesOf(PersistentVolume, { claim: { spec: { claimRef: { name: "b" } } } }),
    },
  },
  {
    account: "eviction/lock-node",
    objects: [[Node, ({ name }) => manifest(Node, { name, annotations: { [`${lockPrefix}a`]: "" } })]],
    declared: patchesOf(Node, { "another lock": { metadata: { annotations: { [`${lockPrefix}b`]: "" } } } }),
    forged: patchesOf(Node, {
      "a lock that it takes off": { metadata: { annotations: { [`${lockPrefix}a`]: null } } },
    }),
  },
  {
    account: "eviction/release-agent",
    objects: [[Node, ({ name }) => manifest(Node, { name, labels: { "node-role.kubernetes.io/edge": "" } })]],
    declared: patchesOf(Node, { "a label": { metadata: { labels: { "example.com/foreign": "a" } } } }),
    forged: patchesOf(Node, {
      "a role, whose value is empty": { metadata: { labels: { "node-role.kubernetes.io/control-plane": "" } } },
      "the label of the L2 agent": { metadata: { labels: { [maintenanceLabel]: "False" } } },
      "a role that it takes off": { metadata: { labels: { "node-role.kubernetes.io/edge": null } } },
    }),
  },
  {
    account: "satellite/apply-daemonset",
    objects: [
      [ConfigMap, (metadata) => configMap(metadata)],
      [DaemonSet, (metadata) => ({ ...statefulSet(metadata), kind: "DaemonSet", spec: daemonSetSpec })],
    ],
    declared: {},
    forged: {
      ...patchesOf(DaemonSet, { privileged: { spec: { template: { spec: { hostPID: true } } } } }),
      ...patchesOf(ConfigMap, { data: { data: { a: "b" } } }),
      "another's DaemonSet": { delete: DaemonSet },
    },
  },
];

const daemonSetSpec = {
  selector: { matchLabels: { app: "a" } },
  template: {
    metadata: { labels: { app: "a" } },
    spec: { containers: [{ name: "a", image: "registry.example/a:1" }] },
  },
};

const titled = cases.map((one) => ({ ...one, title: `${one.account}${one.on ?? ""}` }));

/** What a test of generated policies cannot read from declarations: each function's account and roles. */
export function writePolicies(open: () => Promise<Bench>): void {
  describe("a function's account writes what the function declares, and nothing else", () => {
    test.each(titled)("$title", async ({ account, finalizer, hasAllRights, objects, declared, forged, ...one }) => {
      const bench = await open();
      const { namespace } = bench;
      const own = await accountOf(bench, account, finalizer);
      const client: Pick<Client, "request"> = hasAllRights
        ? { request: (method, path, body, more) => bench.admin.request(method, path, body, { ...own.as, ...more }) }
        : own.client;
      const { name = `a-${namespace}` } = one;
      for (const [kind, make] of objects) {
        await bench.admin.create(kind, make({ name, namespace }));
        const applied = one.applied && manifest(kind, { name, namespace }, one.applied);
        const options = { fieldManager: "another", force: true };
        if (applied) await bench.admin.patch(kind, namespace, name, "apply", applied, options);
        onTestFinished(() => void bench.admin.delete(kind, namespace, name));
      }
      const answer = (attempt: Attempt) => tried(client, attempt, { namespace, name });
      const answers = async (attempts: Readonly<Record<string, Attempt>>) => {
        const found: [string, string][] = [];
        for (const [title, attempt] of Object.entries(attempts)) found.push([title, await answer(attempt)]);
        return Object.fromEntries(found);
      };
      const all = (attempts: object, word: string) =>
        Object.fromEntries(Object.keys(attempts).map((one) => [one, word]));
      // A real server learns of roles and policies by watching them, of each at its time.
      const isRefused = async (attempt: Attempt) => (await answer(attempt)) === "refused";
      for (const [title, attempt] of Object.entries(forged))
        await bench.eventually(`${title} is refused`, () => isRefused(attempt));
      expect(await answers(forged)).toEqual(all(forged, "refused"));
      expect(await answers(declared)).toEqual(all(declared, "allowed"));
    });
  });
}

/**
 * The API as the function's account sees it, with its roles and its policy, in the bench's namespace; and the headers
 * by which a request is of this account, and has all rights.
 */
async function accountOf(
  { admin, namespace, connect, clock }: Bench,
  account: string,
  finalizer?: string,
): Promise<{ readonly client: Client; readonly as: Readonly<Record<string, string>> }> {
  const files = readManifests([join(import.meta.dirname, `../../knative/access/${account}.yaml`)]);
  // A policy holds for its function's account in every namespace, and other tests may be at the same function.
  const name = account.replace("/", "-");
  const ownName = `${namespace}-${name}`;
  const text = JSON.stringify(
    files.map(({ object }) => object),
    (key, value) => (key === "expression" && finalizer && value === usual ? JSON.stringify(finalizer) : value),
  )
    .replaceAll('"holdfast-', `"${namespace}-`)
    .replaceAll(`"name":"${name}"`, `"name":"${ownName}"`)
    .replaceAll(`:${name}\\"`, `:${ownName}\\"`)
    .replaceAll(/"namespace":"(holdfast|piraeus-datastore|yaook)"/g, `"namespace":"${namespace}"`);
  const uninstall = await install(admin, JSON.parse(text));
  onTestFinished(async () => void (await uninstall()));
  return {
    client: createClient(connect(await tokenOf(admin, namespace, ownName)), { clock }),
    as: {
      "impersonate-user": `system:serviceaccount:${namespace}:${ownName}`,
      "impersonate-group": "system:masters",
    },
  };
}

const usual = JSON.stringify(holdfastProtection);

/** Some servers refuse owner references before any policy is asked. */
const isRefusal = ({ status, message }: ApiError) =>
  status === 403 && /ValidatingAdmissionPolicy|cannot set an ownerRef/.test(message);

/** What became of an attempt: `refused` by the policy, or another answer in the server's words. */
async function tried(
  client: Pick<Client, "request">,
  attempt: Attempt,
  { namespace, name }: { namespace: string; name: string },
) {
  try {
    if ("patch" in attempt) await client.request("PATCH", `${at(attempt.patch)}?dryRun=All`, attempt.with, merge);
    else if ("delete" in attempt) await client.request("DELETE", `${at(attempt.delete)}?dryRun=All`);
    else await client.request("POST", `${pathOf(attempt.create, namespace)}?dryRun=All`, created(attempt));
    return "allowed";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return isRefusal(error) ? "refused" : error.message;
  }

  function at(kind: Kind): string {
    return pathOf(kind, namespace, name);
  }

  function created({ create: { apiVersion, kind, namespaced }, object }: Extract<Attempt, { create: Kind }>) {
    const { metadata = {} } = object as Partial<KubernetesObject>;
    const regarding = { kind: "PersistentVolumeClaim", namespace, name };
    const isEvent = kind === Event.kind;
    const more = isEvent ? { regarding } : {};
    // What `accountOf` makes of the ring buffer's.
    const own = kind === ConfigMap.kind ? `${namespace}-dead-letters` : name;
    return {
      ...object,
      ...more,
      apiVersion,
      kind,
      metadata: { name: isEvent ? `${name}-new` : own, ...metadata, ...(namespaced ? { namespace } : {}) },
    };
  }
}

const merge = { "content-type": "application/merge-patch+json" };
