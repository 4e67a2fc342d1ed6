import { Trigger } from "../../../eventing/kinds.ts";
import type { Hop } from "../../../eventing/trace.ts";
import { create } from "../../../local/cluster/install.ts";
import { conditionOf } from "../../../local/controllers/objects/condition.ts";
import { KnativeService } from "../../../local/serving/kind.ts";
import type { ServiceStatus } from "../../../local/serving/status.ts";
import type { TrafficTarget } from "../../../local/serving/traffic.ts";
import { Event, PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta } from "../../../shared/kubernetes/object.ts";
import { slug } from "../../../shared/rule.ts";
import { bareNode } from "../../harness/cluster-objects.ts";
import { Namespace } from "../../harness/kinds.ts";
import { claim, manifest, pod } from "../../harness/manifest.ts";
import { poll } from "../../harness/poll.ts";
import type { Laptop, Made } from "./laptop.ts";
import type { Release } from "./versions.ts";

// Helpers of the scenarios of rollouts.

const holdfast = "holdfast";
const protection = "holdfast.dev/pvc-protection";

type Service = KubernetesObject & { status?: ServiceStatus };

/** Polls until `check` answers something; fails, naming `what`, after a minute: functions start in real time. */
export const eventually = <T>(what: string, check: () => Promise<T>) =>
  poll(what, check, { within: 60_000, every: 25 });

/** A function's Service as it stands. */
async function serviceOf({ admin }: Laptop, rule: string): Promise<Service | undefined> {
  return admin.get<Service>(KnativeService, holdfast, slug(rule));
}

export async function trafficOf(laptop: Laptop, rule: string) {
  return (await serviceOf(laptop, rule))?.status?.traffic ?? [];
}

/** Waits until a function's Service is ready as it was last changed, and returns the name of its newest revision. */
async function isReady(laptop: Laptop, rule: string, generation = 0): Promise<string> {
  return eventually(`${rule} is ready`, async () => {
    const status = (await serviceOf(laptop, rule))?.status;
    const ready = conditionOf(status?.conditions, "Ready")?.status === "True";
    return ready && (status?.observedGeneration ?? 0) >= generation && status?.latestReadyRevisionName;
  });
}

async function change(laptop: Laptop, rule: string, spec: object): Promise<string> {
  const changed = await laptop.admin.patch(KnativeService, holdfast, slug(rule), "merge", { spec });
  return isReady(laptop, rule, changed?.metadata.generation);
}

/** Rolls a function to a release, with all traffic or as shared. Answers the name of the revision. */
export function roll(laptop: Laptop, rule: string, release: Release, traffic?: readonly TrafficTarget[]) {
  const [service] = laptop.manifestsOf(slug(rule)) as unknown as [
    { spec: { template: { metadata: object; spec: { containers: [object] } } } },
  ];
  const { metadata, spec } = service.spec.template;
  const image = release === "now" ? `fn://${rule}` : `fn://${rule}@${release}`;
  const template = { metadata, spec: { ...spec, containers: [{ ...spec.containers[0], image }] } };
  return change(laptop, rule, { template, traffic: traffic ?? null });
}

/** Takes a function off the cluster, as examples/function-off does. Returns how to put it back. */
export async function takeAway(laptop: Laptop, rule: string): Promise<() => Promise<void>> {
  const { admin } = laptop;
  const objects = laptop.manifestsOf(slug(rule));
  for (const { kind, metadata } of objects)
    await admin.delete(kind === "Trigger" ? Trigger : KnativeService, holdfast, metadata.name);
  return async () => {
    await create(admin, objects);
    await isReady(laptop, rule);
    await eventually(`the Triggers of ${rule} are ready`, async () => {
      const live = await Array.fromAsync(admin.list<Service>(Trigger, { namespace: holdfast }));
      return live.every(({ status }) => conditionOf(status?.conditions, "Ready")?.status === "True");
    });
  };
}

/** Gives what a tag stands for a Trigger of its own: claims of one namespace go there, and nowhere else. */
export async function giveNamespaceTo(laptop: Laptop, rule: string, namespace: string, url: string): Promise<void> {
  const { admin } = laptop;
  const name = `${slug(rule)}-storage`;
  const trigger = laptop.manifestsOf(slug(rule)).find(({ metadata }) => metadata.name === name);
  const { filters, ...spec } = (trigger as unknown as { spec: { filters: object[] } }).spec;
  const others = [...filters, { not: { exact: { namespace } } }];
  await admin.patch(Trigger, holdfast, name, "merge", { spec: { filters: others } });
  const canary = { ...spec, filters: [...filters, { exact: { namespace } }], subscriber: { uri: url } };
  await admin.create(
    Trigger,
    manifest(Trigger, { namespace: holdfast, name: `${slug(rule)}-canary` }, { spec: canary }),
  );
  await eventually("the canary's Trigger is ready", async () => {
    const live = await admin.get<Service>(Trigger, holdfast, `${slug(rule)}-canary`);
    return conditionOf(live?.status?.conditions, "Ready")?.status === "True";
  });
}

/** Shares the traffic of a function among revisions that are there. */
export function share(laptop: Laptop, rule: string, traffic: readonly TrafficTarget[]) {
  return change(laptop, rule, { traffic });
}

/** A namespace of the scenario's own, with a claim in our care. */
async function givenClaim({ admin }: Laptop, namespace: string, name: string): Promise<void> {
  if (!(await admin.get(Namespace, undefined, namespace)))
    await admin.create(Namespace, manifest(Namespace, { name: namespace }));
  await admin.create(PersistentVolumeClaim, claim({ namespace, name, finalizers: [protection] }));
}

/**
 * A claim that is being deleted and is held by a pod, `<name>-user`, as release has written down. Returns what it
 * wrote.
 */
export async function heldClaim(laptop: Laptop, namespace: string, name: string): Promise<Record<string, unknown>> {
  const { admin } = laptop;
  await givenClaim(laptop, namespace, name);
  await admin.create(Pod, pod({ namespace, name: `${name}-user` }, [name], { nodeName: bareNode }));
  await admin.delete(PersistentVolumeClaim, namespace, name);
  // So that it is release alone who lets the claim go.
  const patch = { metadata: { "$deleteFromPrimitiveList/finalizers": ["kubernetes.io/pvc-protection"] } };
  await admin.patch(PersistentVolumeClaim, namespace, name, "strategic", patch);
  return eventually(`claim ${name} says who holds it`, () => progressOf(laptop, namespace, name));
}

/** Writes down about a claim what another version of release would have. */
export async function overwrite({ admin }: Laptop, namespace: string, name: string, progress: object): Promise<void> {
  const annotations = { "holdfast.dev/pvc-protection.release": JSON.stringify(progress) };
  await admin.patch(PersistentVolumeClaim, namespace, name, "merge", { metadata: { annotations } });
}

/** What release has written down about a claim. */
export async function progressOf(laptop: Laptop, namespace: string, name: string) {
  const live = await laptop.admin.get(PersistentVolumeClaim, namespace, name);
  const text = live?.metadata.annotations?.["holdfast.dev/pvc-protection.release"];
  return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
}

/** Makes the pod that holds a claim go, as when its containers have stopped. */
export async function freeClaim({ admin }: Laptop, namespace: string, name: string): Promise<void> {
  await admin.delete(Pod, namespace, `${name}-user`, { gracePeriodSeconds: 0 });
}

export async function isGone({ admin }: Laptop, namespace: string, name: string): Promise<boolean> {
  return !(await admin.get(PersistentVolumeClaim, namespace, name));
}

/** A user edits a claim, which triggers each function that watches claims; resolves when the function has answered. */
export async function editClaim(
  { admin, hops }: Laptop,
  namespace: string,
  name: string,
  service: string,
): Promise<void> {
  const isOurs = (hop: Hop) =>
    hop.hop === "delivered" &&
    hop.to.includes(`${service}.`) &&
    hop.event.name === name &&
    hop.event.namespace === namespace;
  const answered = () => hops.filter(isOurs).length;
  const before = answered();
  const labels = { edited: String(before) };
  await admin.patch(PersistentVolumeClaim, namespace, name, "merge", { metadata: { labels } });
  await eventually(`${service} has heard of ${name}`, async () => answered() > before);
}

/** The Events that functions wrote about an object, by their reasons. */
export async function reasonsOn({ admin }: Laptop, namespace: string, name: string): Promise<string[]> {
  const reasons: string[] = [];
  for await (const event of admin.list<KubernetesObject & { reason: string; regarding?: { name: string } }>(Event, {
    namespace,
  }))
    if (event.regarding?.name === name && String(event.reportingController).startsWith("holdfast.dev/"))
      reasons.push(event.reason);
  return reasons.sort();
}

/**
 * What a function has changed below a path, oldest first: `held@1` for the step that it wrote down in version 1, or
 * what else it did.
 */
export const madeBy = ({ made }: Laptop, by: string, path: string): readonly string[] =>
  made.flatMap((one) => (one.by === by && one.path.includes(path) ? [inWords(one)] : []));

function inWords({ method, body }: Made): string {
  if (method === "DELETE") return "deleted";
  const {
    kind,
    reason,
    metadata = {},
  } = JSON.parse(body) as Record<string, never> & { metadata?: Partial<ObjectMeta> };
  if (kind === "Event") return `recorded ${reason}`;
  const progress = Object.values(metadata.annotations ?? {}).find((text) => text?.startsWith("{"));
  const { step, v } = JSON.parse(progress ?? "{}") as { step?: string; v?: number };
  return step === undefined ? "let go" : `${step}@${v}`;
}
