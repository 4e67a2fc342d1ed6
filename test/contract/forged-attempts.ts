import type { Declared } from "../../build/manifests/declared.ts";
import { daemonSetName } from "../../functions/satellite/lib/kinds.ts";
import { volumeFinalizer } from "../../functions/volume/lib/volume.ts";
import { type DeclaredWrites, isDeclared } from "../../shared/declared-writes.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { progressWrites } from "../../shared/pipeline/hold-to-declared.ts";
import { slug } from "../../shared/rule.ts";
import { claim, manifest, pod, statefulSet } from "../harness/manifest.ts";

type List = keyof DeclaredWrites;
type Verb = "create" | "patch" | "delete";
type Fields = Readonly<Record<string, unknown>>;

/** What an account tries. */
export interface Attempt {
  readonly account: string;
  readonly kind: Kind;
  readonly verb: Verb;
  readonly subresource?: string;
  /** In the message of the policy that refuses it; absent where it is declared, and must be taken. */
  readonly refusal?: string;
  /** What it patches or deletes, which is there before. */
  readonly on?: KubernetesObject;
  /** What it creates, or a merge patch. */
  readonly body?: object;
}

// Other objects have them, and no function declares them; what is present, no function may take away.
const undeclared = "example.com/undeclared";
const present = "example.com/present";
const ofServer: Readonly<Record<string, readonly string[]>> = {
  PersistentVolume: ["kubernetes.io/pv-protection"],
  PersistentVolumeClaim: ["kubernetes.io/pvc-protection"],
};
const owner = { apiVersion: "example.com/v1", name: "a", uid: "a" };
const conditionOf = (type: string) => ({ type, status: "True", reason: "A", message: "", lastTransitionTime: time });
const time = "2026-01-01T00:00:00Z";

const { serviceName: _, replicas: __, ...daemonSet } = statefulSet({ name: "a" }).spec as Fields;
const event = { eventTime: "2026-01-01T00:00:00.000000Z", type: "Normal", reason: "A", action: "A", note: "A." };
const source = { csi: { driver: "a.example", volumeHandle: "a" }, persistentVolumeReclaimPolicy: "Retain" };
// The uid is the value of the labels that the test writes: some policies ask for the uid of a claim there.
const claimRef = { namespace: "default", name: "a", uid: "a" };
const ofVolume = {
  accessModes: ["ReadWriteOnce"],
  capacity: { storage: "1Gi" },
  persistentVolumeReclaimPolicy: "Retain",
};
const local = { path: "/dev/disk/by-uuid/a" };
const terms = [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["a"] }] }];
const onNode = { nodeAffinity: { required: { nodeSelectorTerms: terms } } };

/** Kinds of every API server: what an object has, and what no function declares to change; others have a definition. */
export const builtin: Readonly<Record<string, { rest?: Fields; forge?: readonly [field: string, value: unknown] }>> = {
  ConfigMap: { forge: ["immutable", true] },
  DaemonSet: { rest: { spec: daemonSet } },
  Event: { rest: { ...event, reportingController: "kubelet", reportingInstance: "a" } },
  Lease: { forge: ["spec.holderIdentity", "a"] },
  Namespace: {},
  Node: { forge: ["spec.unschedulable", true] },
  PersistentVolume: {
    rest: { spec: { ...ofVolume, ...source, claimRef } },
    forge: ["spec.claimRef.namespace", "kube-system"],
  },
  PersistentVolumeClaim: { rest: { spec: claim({}).spec }, forge: ["spec.volumeName", "a"] },
  Pod: { rest: { spec: pod({}).spec } },
  StatefulSet: { rest: { spec: statefulSet({ name: "a" }).spec }, forge: ["spec.template.spec.hostPID", true] },
};

/** What may be created and deleted, with no more than what makes it so; `others`: fields that make it another's. */
const own: Readonly<Record<string, (name: string, declared: Declared) => { rest: Fields; others?: Fields }>> = {
  ConfigMap: () => ({ rest: {} }),
  DaemonSet: () => ({ rest: { spec: daemonSet } }),
  Event: (_, { name }) => ({
    rest: { ...event, reportingController: `holdfast.dev/${slug(name)}`, reportingInstance: name },
    others: { reportingController: "kubelet" },
  }),
  InMemoryChannel: () => ({ rest: { metadata: { labels: { "eventing.knative.dev/broker": "a" } } } }),
  Lease: () => ({ rest: {} }),
  LinstorSatellite: () => ({
    rest: { metadata: { ownerReferences: [{ ...owner, kind: "LinstorCluster", controller: true }] } },
  }),
  PersistentVolume: (name) => ({
    rest: {
      metadata: { finalizers: [volumeFinalizer], ownerReferences: [{ ...owner, kind: "Volume", name }] },
      spec: { ...ofVolume, ...onNode, local },
    },
    others: { spec: { ...ofVolume, ...onNode, hostPath: { path: "/" } } },
  }),
  Pod: (name, declared) => ({
    rest: {
      metadata: { labels: { "holdfast.dev/agent": agentOf(declared) }, annotations: { "holdfast.dev/agent-uid": "a" } },
      spec: { ...(pod({}).spec as object), nodeName: name.slice(agentOf(declared).length + 1) },
    },
    others: { spec: { ...(pod({}).spec as object), nodeName: "another" } },
  }),
};

/** One of the kinds whose pods an account writes: it shows something in their conditions. */
const agentOf = ({ permissions }: Declared) =>
  permissions.find(({ subresource }) => subresource === "status")?.resource.kind ?? "";

/** Every write that an account may ask for by its role, forged, and one that it declares; `namespace` is in names. */
export function attemptsOf(declared: Declared, namespace: string): readonly Attempt[] {
  const writing = Map.groupBy(
    declared.permissions,
    ({ resource, subresource = "" }) => `${resource.kind}/${subresource}`,
  );
  return [...writing.values()].flatMap((of) => {
    const { resource: kind, subresource } = of[0] as (typeof of)[number];
    const may = (verb: Verb) => of.filter(({ verbs }) => verbs.includes(verb));
    const ours = (verb: Verb) => (list: List) => may(verb).flatMap(({ writes }) => writes?.[list] ?? []);
    const name = of.flatMap(({ names = [] }) => names)[0]?.replace("holdfast-", `${namespace}-`);
    const about = { account: declared.name, kind };
    if (subresource)
      return statusAttempts(kind, namespace, ours("patch")).map((one) => ({ ...about, subresource, ...one }));
    return [
      ...(may("patch").length > 0 ? patchAttempts(declared, kind, namespace, ours("patch")) : []),
      ...(may("create").length > 0 ? createAttempts(declared, kind, { namespace, name }, ours("create")) : []),
      ...(may("delete").length > 0 ? deleteAttempts(declared, kind, { namespace, name }) : []),
    ].map((one) => ({ ...about, ...one }));
  });
}

type Tried = Omit<Attempt, "account" | "kind" | "subresource">;

/** Undeclared patches, each with what the message says of it; the last, without that, is all declared metadata. */
function patchAttempts(
  declared: Declared,
  kind: Kind,
  namespace: string,
  declaredIn: (list: List) => readonly string[],
): readonly Tried[] {
  const ours = (list: List) => [...declaredIn(list), ...(progressWrites(declared)[list] ?? [])];
  // Some policies ask for the name of what belongs to a satellite, or for the finalizer of Volumes.
  const name = /DaemonSet|ConfigMap/.test(kind.kind) ? daemonSetName(namespace) : `${namespace}-a`;
  // What only people write is there, with the value that the test writes: functions may remove it.
  const annotations = { "holdfast.dev/offer": "a" };
  const finalizers = [present, volumeFinalizer, ...(ofServer[kind.kind] ?? [])];
  const on = objectOf(
    kind,
    { name, namespace },
    { metadata: { annotations, finalizers }, ...builtin[kind.kind]?.rest },
  );
  const [field = "", value] = kind.kind in builtin ? (builtin[kind.kind]?.forge ?? []) : ["undeclared", "a"];
  const isOurs = (list: List, name: string) =>
    isDeclared(ours(list), name) || ours(list).some((one) => name.startsWith(`${one}.`));
  const forged: readonly (readonly [List, string, object])[] = [
    ["annotations", undeclared, { metadata: { annotations: { [undeclared]: "a" } } }],
    ["labels", undeclared, { metadata: { labels: { [undeclared]: "a" } } }],
    ["finalizers", undeclared, { metadata: { finalizers: [...finalizers, undeclared] } }],
    ["finalizers", present, { metadata: { finalizers: finalizers.filter((one) => one !== present) } }],
    ["ownerReferences", "Sample", { metadata: { ownerReferences: [{ ...owner, kind: "Sample" }] } }],
    ["fields", field, field.split(".").reduceRight((inner, key) => ({ [key]: inner }), value) as object],
  ];
  const map = (list: List) => Object.fromEntries(ours(list).map((key) => [key.replace("*", "a"), "a"]));
  const all = { finalizers: [...new Set([...finalizers, ...ours("finalizers")])] };
  const noManagers = { metadata: { managedFields: [{}] } };
  const isHeld = "spec" in on && !ours("fields").includes("spec");
  const role = { metadata: { labels: { "node-role.kubernetes.io/forged": "" } } };
  return [
    ...forged
      .filter(([list, name]) => name && !isOurs(list, name))
      .map(
        ([list, , body]): Tried => ({ verb: "patch", on, body, refusal: `changes these ${list} of a ${kind.kind}: ` }),
      ),
    ...(kind.kind === "Node" ? [{ verb: "patch", on, body: role, refusal: "label" } as const] : []),
    ...(isHeld ? [{ verb: "patch", on, body: noManagers, refusal: "without taking away what" } as const] : []),
    { verb: "patch", on, body: { metadata: { ...all, annotations: map("annotations"), labels: map("labels") } } },
  ];
}

/** A condition and a field that are not declared, another's condition taken away, and what is declared. */
function statusAttempts(kind: Kind, namespace: string, ours: (list: List) => readonly string[]): readonly Tried[] {
  const before = { status: { conditions: [conditionOf("Present")] } };
  const on = objectOf(kind, { name: `${namespace}-status`, namespace }, before);
  const conditions = (types: readonly string[]) => types.map(conditionOf);
  const fields = Object.fromEntries(ours("fields").map((path) => [path.slice("status.".length), "a"]));
  const [refusal, ofFields] = [`conditions of a ${kind.kind}: `, `fields of the status of a ${kind.kind}: `];
  return [
    { verb: "patch", on, body: { status: { conditions: conditions(["Present", "Forged"]) } }, refusal },
    { verb: "patch", on, body: { status: { conditions: conditions(ours("conditions")) } }, refusal },
    { verb: "patch", on, body: { status: { forged: "a" } }, refusal: ofFields },
    { verb: "patch", on, body: { status: { conditions: conditions(["Present", ...ours("conditions")]), ...fields } } },
  ];
}

interface Place {
  readonly namespace: string;
  /** Where the role has one. */
  readonly name: string | undefined;
}

/** What the account creates, each time without one of the things that make it lawful, or with one more. */
function createAttempts(
  declared: Declared,
  kind: Kind,
  place: Place,
  ours: (list: List) => readonly string[],
): readonly Tried[] {
  const { object, others } = ownOf(declared, kind, place, "new");
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = object.metadata;
  const without = (map: object) =>
    Object.keys(map).map((key) => Object.fromEntries(Object.entries(map).filter(([one]) => one !== key)));
  const isAny = (list: List) => ours(list).includes("*") || kind.kind === "Event";
  const changed: readonly object[] = [
    ...without(labels).map((labels) => ({ labels })),
    ...without(annotations).map((annotations) => ({ annotations })),
    ...finalizers.map((one) => ({ finalizers: finalizers.filter((other) => other !== one) })),
    ...ownerReferences.map((one) => ({ ownerReferences: ownerReferences.filter((other) => other !== one) })),
    ...(kind.kind === "LinstorSatellite" || kind.kind === "Event" ? [] : [{ name: `${place.namespace}-forged` }]),
    ...(isAny("labels") ? [] : [{ labels: { ...labels, [undeclared]: "a" } }]),
    ...(isAny("annotations") ? [] : [{ annotations: { ...annotations, [undeclared]: "a" } }]),
    ...(kind.kind === "Event"
      ? []
      : [
          { finalizers: [...finalizers, undeclared] },
          { ownerReferences: [...ownerReferences, { ...owner, kind: "Sample" }] },
        ]),
  ];
  const forged = [
    ...changed.map((metadata) => ({ ...object, metadata: { ...object.metadata, ...metadata } })),
    ...(others ? [{ ...object, ...others }] : []),
  ];
  return [...forged.map((body): Tried => ({ verb: "create", body, refusal: "" })), { verb: "create", body: object }];
}

/** What belongs to others, and the account's own. */
function deleteAttempts(declared: Declared, kind: Kind, place: Place): readonly Tried[] {
  const others = objectOf(kind, { ...place, name: `${place.namespace}-others` }, builtin[kind.kind]?.rest);
  return [
    { verb: "delete", on: others, refusal: "" },
    { verb: "delete", on: ownOf(declared, kind, place, slug(declared.name)).object },
  ];
}

function ownOf(declared: Declared, kind: Kind, { namespace, name }: Place, suffix: string) {
  const prefix = kind.kind === "Pod" ? `${agentOf(declared).toLowerCase()}-` : "";
  const free = `${prefix}${namespace}-${suffix}`;
  const called = name ?? (/DaemonSet|ConfigMap/.test(kind.kind) ? daemonSetName(free) : free);
  const { rest, others } = own[kind.kind]?.(called, declared) ?? { rest: {} };
  return { object: objectOf(kind, { name: called, namespace }, rest), others };
}

function objectOf(kind: Kind, { name, namespace }: { name: string; namespace: string }, rest: Fields = {}) {
  const metadata = { name, ...(kind.namespaced ? { namespace } : {}), ...(rest.metadata as object) };
  const regarding = kind.kind === "Event" ? { regarding: { apiVersion: "v1", kind: "Pod", namespace, name } } : {};
  return manifest(kind, metadata, { ...rest, ...regarding, metadata });
}
