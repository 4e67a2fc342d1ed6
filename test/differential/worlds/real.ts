import { seededRandom } from "../../../eventing/random.ts";
import { reflect } from "../../../eventing/watch/reflect.ts";
import {
  type Kind,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
} from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ApiRequest } from "../../../shared/kubernetes/transport.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { statefulSet } from "../../harness/manifest.ts";
import { benchOn, type WhenOver } from "../../harness/open-namespace.ts";
import type { Bench } from "../../harness/server.ts";
import type { Change } from "../../harness/simulated/change.ts";
import type { OpenBackend } from "../../harness/while-tests-run.ts";
import { keepsVolumes } from "../judge/volumes.ts";
import type { Patience, World } from "../play/play.ts";
import type { PodObject, SetObject, Side } from "../play/side.ts";
import type { Line } from "../report/history.ts";
import { policyKey } from "../sequence/policy.ts";
import { type Functions, settingOf } from "./setting.ts";
import type { Stall } from "./stalls.ts";

/** Nothing fails there, so that no test has to wait for long. */
const onRealTime: Patience = {
  settling: 20_000,
  inForce: 60_000,
  underWay: 1_000,
  caches: 700,
  rest: 2_500,
  poll: 150,
};
/** A volume that a claim has had for so long has been seen by undelete (milliseconds). */
const seen = 3_000;
const kinds: readonly Kind[] = [StatefulSet, Pod, PersistentVolumeClaim];

/** How a world on a real control plane is set up. */
export interface RealOptions {
  readonly admissionPolicy: boolean;
  readonly functions: Extract<Functions, string>;
  /** Whether the namespace of ours asks undelete to keep its volumes. */
  readonly keepsVolumes?: boolean;
  /** Requests of functions that are held up. */
  readonly stall?: (asked: { rule: string } & ApiRequest) => Stall | undefined;
}

/** Two namespaces on a real control plane, in one of which Holdfast's policies are. */
export async function openReal(worlds: OpenBackend, options: RealOptions, whenOver: WhenOver): Promise<World> {
  const { admissionPolicy, stall } = options;
  const installed = await worlds.open(settingOf("repository", admissionPolicy), { whenOver });
  const { clock, admin } = installed;
  if (options.functions === "none") await installed.absent();
  if (admissionPolicy) await inForce(installed);
  if (stall)
    installed.intercept(async ({ rule, request }, send) => {
      const { before = 0, after = 0 } = stall({ rule, ...request }) ?? {};
      if (before) await clock.sleep(before);
      const answer = await send();
      if (after) await clock.sleep(after);
      return answer;
    });
  const ended = new AbortController();
  whenOver(() => ended.abort(new Error("The run is over.")));
  const volumes = await watch(installed, [PersistentVolume], {}, ended.signal);
  if (options.keepsVolumes) await admin.patch(Namespace, undefined, installed.namespace, "merge", keepsVolumes);
  const history: Line[] = [];
  const sweep = async () => {
    if (options.functions === "none") return;
    await installed.sweep();
    await clock.sleep(onRealTime.rest / 2);
  };
  return {
    clock,
    admin,
    plain: await watchSide(await benchOn(installed, whenOver), ended.signal),
    ours: await watchSide(installed, ended.signal),
    inTheVeryWrite: admissionPolicy && options.functions === "repository",
    byHand: options.functions === "none",
    volumes,
    keptAfter: options.keepsVolumes ? seen : undefined,
    patience: onRealTime,
    history,
    note: (what) => void history.push({ at: clock.now(), who: "", what }),
    sweep,
    async calm() {
      await sweep();
      await clock.sleep(onRealTime.rest);
    },
  };
}

/** Every change of objects of these kinds, as they come. */
async function watch(
  { admin, transport, clock }: Bench,
  kinds: readonly Kind[],
  scope: { readonly namespace?: string },
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const tools = { client: admin, transport, clock, random: seededRandom(1), signal };
  for (const kind of kinds) {
    const reflection = reflect(tools, kind, scope);
    const typed = (object: KubernetesObject | undefined) =>
      object && { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
    reflection.on((change, current, old) => {
      const object = typed(current) as KubernetesObject;
      const after = change === "delete" ? undefined : object;
      const version = Number(object.metadata.resourceVersion);
      changes.push({ by: { name: "kubernetes" }, at: clock.now(), version, before: typed(old), after, object });
    });
    await reflection.synced;
  }
  return changes;
}

async function watchSide(bench: Bench, signal: AbortSignal): Promise<Side> {
  const { admin, namespace } = bench;
  const changes = await watch(bench, kinds, { namespace }, signal);
  const listed = <T extends KubernetesObject>(kind: Kind) =>
    Array.fromAsync(admin.list<T>(kind, { namespace }), (object) => ({ ...object, kind: kind.kind }));
  return {
    namespace,
    changes,
    async live() {
      const [sets, pods, claims] = await Promise.all([
        listed<SetObject>(StatefulSet),
        listed<PodObject>(Pod),
        listed(PersistentVolumeClaim),
      ]);
      return { sets, pods, claims };
    },
  };
}

const known = new WeakMap<object, Promise<void>>();

/**
 * Waits until an annotation that keeps is obeyed in the very write: a real API server learns of policies by watching
 * them.
 */
function inForce(world: Cluster): Promise<void> {
  const probing = known.get(world.setting) ?? probe(world);
  known.set(world.setting, probing);
  return probing;
}

async function probe({ admin, namespace, eventually }: Cluster): Promise<void> {
  let probes = 0;
  const whenScaled = (set: KubernetesObject | undefined) =>
    (set as SetObject | undefined)?.spec.persistentVolumeClaimRetentionPolicy?.whenScaled;
  await eventually("the admission policy is in force", async () => {
    const name = `probe-${++probes}`;
    const annotated = (policy: string) => ({ annotations: { [policyKey]: policy } });
    await admin.create(StatefulSet, statefulSet({ namespace, name, ...annotated("DeleteOnScaledownOnly") }));
    await eventually("the policy is projected", async () => {
      return whenScaled(await admin.get(StatefulSet, namespace, name)) === "Delete";
    });
    const patch = { metadata: annotated("Retain") };
    const answered = await admin.patch(StatefulSet, namespace, name, "merge", patch);
    await admin.delete(StatefulSet, namespace, name);
    return whenScaled(answered) === "Retain";
  });
}
