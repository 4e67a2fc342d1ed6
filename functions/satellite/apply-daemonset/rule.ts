import type { z } from "zod";
import { type About, about } from "../../../shared/about.ts";
import { type Away, orAway, waitsFor } from "../../../shared/chain/away.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Bound } from "../../../shared/declared-writes.ts";
import { isForbidden } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { addFinalizers, hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { ConfigMap, type Kind, Namespace } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { lookAtNamed } from "../../../shared/look-at-each.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { isObject } from "../../../shared/subject.ts";
import { resync } from "../../../shared/sweep.ts";
import {
  type ConfiguredSatellite,
  type ConfiguredSeen,
  lookAtConfigured,
} from "../lib/configuration/configured-satellite.ts";
import { DaemonSet, daemonSetName, LinstorCluster, LinstorSatellite, satelliteLabel } from "../lib/kinds.ts";
import type { LinstorControllers } from "../lib/linstor/controllers.ts";
import { linstor } from "../lib/linstor/system.ts";
import { isAnother } from "../lib/linstor-note.ts";
import { isSeenDeleting } from "../lib/machine.ts";
import { abandonedBecause, conditionWrites, isSettled, lifeConditions, satelliteFinalizer } from "../lib/satellite.ts";
import { mayLook, satelliteRule } from "../lib/satellite-rule.ts";
import { ofDaemonSet, satelliteNamed, satellitesIn } from "../lib/subjects.ts";
import { applyPatches } from "../lib/workload/apply-patches.ts";
import { hashOf, imageOf, satelliteConfigMap, satelliteDaemonSet, tlsSecretOf } from "../lib/workload/daemon-set.ts";
import { spawnSettings } from "./settings.ts";

const name = "satellite/apply-daemonset";
/** What the DaemonSet was last applied from. */
const appliedKey = "holdfast.dev/applied";
/** As piraeus-operator applies it: the one of the two that applies next takes over what the other has written. */
const fieldManager = "piraeus.io/operator";

/** A satellite with its DaemonSet; `seen` is undefined when it is gone. */
export interface Workload {
  readonly seen: ConfiguredSeen | undefined;
  readonly daemonSet: KubernetesObject | undefined;
  readonly namespace: string;
  /** The namespace takes no objects: it is not there, or is being deleted. Only looked at where a DaemonSet is made. */
  readonly homeless?: "absent" | "deleted";
  /** With its tag; `undefined` where it is not to be applied. */
  readonly image: string | undefined;
  /** Its LINSTOR, where that could not be asked which image it needs. */
  readonly away?: Away;
}
export type Facts = readonly Workload[];

/** A satellite's patches may give them any. */
const anyMetadata = { annotations: ["*"], labels: ["*"], ownerReferences: [LinstorSatellite.kind] } as const;

const ofSatellites = (on: Bound["on"], { kind }: Kind): Bound => ({
  on,
  says: `writes ${kind}s that are called ${daemonSetName("*")}`,
  cel: `request.name.startsWith("${daemonSetName("")}")`,
});

export const applyDaemonset = rule({
  name,
  doc: "Keeps the DaemonSet of a satellite on its Node until the data there is moved or given up.",
  ...satelliteRule,
  settings: spawnSettings,
  triggers: [
    on(LinstorSatellite, ["add", "update", "delete"]),
    on(DaemonSet, ["update", "delete"]),
    on(Namespace, ["add"]),
    on(LinstorCluster, ["update"]),
  ],
  permissions: [
    ...mayLook({
      why: "to find satellites without a DaemonSet, and to add the finalizer before one is applied",
      writes: { finalizers: [satelliteFinalizer] },
      satellites: "list",
      conditions: [lifeConditions.applied],
      events: "the satellite",
    }),
    {
      namespaceSetting: "satelliteNamespace",
      resource: DaemonSet,
      verbs: ["get", "create", "patch", "delete"],
      why: "to run the satellite on its Node, and to stop it when its data is moved or given up",
      writes: { ...anyMetadata, fields: ["spec"] },
      bounds: [ofSatellites(["create", "patch", "delete"], DaemonSet)],
    },
    {
      namespaceSetting: "satelliteNamespace",
      resource: ConfigMap,
      verbs: ["create", "patch"],
      why: "to write the configuration that the pod of the satellite reads",
      writes: { ...anyMetadata, fields: ["data", "binaryData"] },
      bounds: [ofSatellites(["create", "patch"], ConfigMap)],
    },
    {
      resource: Namespace,
      verbs: ["get"],
      why: "to see whether the namespace of the satellites exists, or is being deleted",
    },
  ],
  sweep: [resync(LinstorSatellite), { kind: DaemonSet, labelSelector: satelliteLabel }],
  steps: {
    applying: silent,
    waiting: silent,
    away: warning("LINSTORUnreachable"),
    refused: warning("SatelliteNotSpawned"),
  },
  systems: { linstor },
  subjects: (hint, { satelliteNamespace }) => {
    // Any satellite may have waited for it.
    if (hint.kind === Namespace.kind) return hint.name === satelliteNamespace ? [{ kind: LinstorSatellite }] : [];
    // piraeus-operator writes the version of LINSTOR's controller there, which satellites must follow.
    if (hint.kind === LinstorCluster.kind) return [{ kind: LinstorSatellite }];
    return hint.kind === LinstorSatellite.kind && hint.change === "delete"
      ? [satelliteNamed(hint.name)]
      : [...satellitesIn(hint, name, isUnsettled), ...ofDaemonSet(hint), ...ofLeftDaemonSet(hint.object, hint.kind)];
  },
  look: async (subject, view): Promise<Facts> => {
    const satellites = isObject(subject) ? [] : await Array.fromAsync(view.client.list(LinstorSatellite));
    const names = isObject(subject) ? [subject.name] : satellites.map(({ metadata }) => metadata.name);
    return lookAtNamed(LinstorSatellite, names, (one) => lookAtWorkload(one, view));
  },
  decide: (facts: Facts, now) => facts.flatMap((one) => decide(one, now)),
});

/** What looking takes. */
interface View {
  readonly client: Client;
  readonly linstor: LinstorControllers;
  readonly settings: z.output<typeof spawnSettings>;
}

async function lookAtWorkload(satellite: string, { client, linstor, settings }: View): Promise<Workload> {
  const { satelliteImage, satelliteNamespace: namespace } = settings;
  const seen = await lookAtConfigured(client, satellite, settings);
  // Its Role lies in that namespace, and is missing with it.
  const daemonSet = await client.get(DaemonSet, namespace, daemonSetName(satellite)).catch(async (error) => {
    if (!isForbidden(error) || (await client.get(Namespace, undefined, namespace))) throw error;
    return undefined;
  });
  const facts = { seen, daemonSet, namespace, image: undefined };
  if (!seen || verdictOn(seen).do !== "apply") return facts;
  const home = daemonSet ? undefined : { namespace: await client.get(Namespace, undefined, namespace) };
  if (home && !home.namespace) return { ...facts, homeless: "absent" };
  if (home?.namespace && isBeingDeleted(home.namespace)) return { ...facts, homeless: "deleted" };
  const own = linstor.at(seen.controller);
  const leaves = isBeingDeleted(seen.satellite) || isSeenDeleting(seen.satellite) || seen.record !== undefined;
  // Its pod is not to become one of another LINSTOR's version in the middle of that.
  if (leaves && isAnother(seen.satellite, own.url, undefined)) return facts;
  // Where one LINSTOR does not answer, the satellites of others are looked at all the same.
  const version = await orAway(() => own.version());
  if ("away" in version) return { ...facts, away: version.away };
  const image = imageOf(satelliteImage, seen.satellite.spec?.repository, version.read);
  return { ...facts, image };
}

/** One that is not held yet, that is on its way out, or whose DaemonSet may not be as its spec says. */
const isUnsettled = (satellite: ConfiguredSatellite) =>
  isBeingDeleted(satellite) ||
  !hasFinalizer(satellite, satelliteFinalizer) ||
  !isSettled(satellite, lifeConditions.applied);

/** One that has lost its owner while its satellite was deleted from the outside in. */
const ofLeftDaemonSet = (object: KubernetesObject | undefined, kind: string) => {
  const prefix = daemonSetName("");
  const isLeft =
    kind === DaemonSet.kind &&
    object?.metadata.labels?.[satelliteLabel] !== undefined &&
    !object.metadata.ownerReferences?.length;
  return isLeft && object.metadata.name.startsWith(prefix)
    ? [{ kind: LinstorSatellite, name: object.metadata.name.slice(prefix.length) }]
    : [];
};

type Verdict = { readonly do: "leave" | "hold" | "stop" | "apply"; readonly message: string };

/** What is to become of a satellite's workload. */
function verdictOn(seen: ConfiguredSeen): Verdict {
  const { satellite, node, policy, unmanagedReason, unaddressed } = seen;
  const title = `LinstorSatellite ${satellite.metadata.name}`;
  const leave = (message: string) => ({ do: "leave", message }) as const;
  if (unmanagedReason) return leave(unmanagedReason);
  const abandoned = isBeingDeleted(satellite) ? abandonedBecause(seen) : undefined;
  if (unaddressed && !abandoned) return leave(unaddressed);
  const held = hasFinalizer(satellite, satelliteFinalizer);
  if (isBeingDeleted(satellite)) {
    if (!held) return leave(`${title} needs nothing more: its DaemonSet is deleted with it.`);
    if (abandoned) return leave(abandoned);
    if (policy === "Delete")
      return {
        do: "stop",
        message: `${title} is given up: its satellite is stopped, so that LINSTOR can remove the node.`,
      };
  }
  if (!node) return leave(`The Node of ${title} is gone, and no satellite can run there.`);
  if (!held && !isBeingDeleted(satellite))
    return { do: "hold", message: `${title} is held from now on, because it is about to have data.` };
  return { do: "apply", message: `The DaemonSet of ${title} is applied.` };
}

function decide({ seen, daemonSet, namespace, image, homeless, away }: Workload, now: number): readonly Decision[] {
  if (!seen) return daemonSet ? [leftBehind(daemonSet)] : [];
  const { satellite } = seen;
  const at = about(LinstorSatellite, satellite);
  const verdict = verdictOn(seen);
  switch (verdict.do) {
    case "leave":
      return [at.leave(verdict.message)];
    case "hold":
      return [at.write(verdict.message, [addFinalizers(LinstorSatellite, satellite, [satelliteFinalizer])])];
    case "stop":
      return [
        daemonSet && !isBeingDeleted(daemonSet)
          ? at.write(verdict.message, [removed(daemonSet)])
          : at.leave(`The satellite of ${satellite.metadata.name} is stopped.`),
      ];
    case "apply":
      if (homeless) return [notHoused(seen, namespace, homeless, now, at)];
      if (away) {
        const what = `The DaemonSet of LinstorSatellite ${satellite.metadata.name}`;
        const { message, ...standing } = waitsFor(away, what, readProgress(satellite, name), now, 30_000);
        return [at.wait(message, standing)];
      }
      return [
        image
          ? applied(seen, daemonSet, { namespace, image }, now, at)
          : at.leave("It is not known which image its LINSTOR needs."),
      ];
  }
}

/** Said once, and looked at again when the namespace is added: nothing can be applied before. */
function notHoused(
  { satellite }: ConfiguredSeen,
  namespace: string,
  why: NonNullable<Workload["homeless"]>,
  now: number,
  at: About,
): Decision {
  const what = why === "absent" ? "does not exist" : "is being deleted";
  const message =
    `The DaemonSet of LinstorSatellite ${satellite.metadata.name} belongs in the namespace ${namespace}, which ` +
    `${what}: create it, or set SATELLITE_NAMESPACE in the ConfigMap holdfast-satellite to the one of the satellites.`;
  const report = {
    type: lifeConditions.applied,
    status: "False",
    reason: "Error",
    message: `Error: ${message}`,
  } as const;
  return at.write(message, conditionWrites(satellite, [report], now), { step: { name: "refused" } });
}

/** One that no longer has an owner; those with an owner go with it. */
function leftBehind(daemonSet: KubernetesObject): Decision {
  const { leave, write } = about(DaemonSet, daemonSet);
  const title = `DaemonSet ${daemonSet.metadata.name}`;
  const isOurs = daemonSet.metadata.labels?.[satelliteLabel] !== undefined;
  if (!isOurs || daemonSet.metadata.ownerReferences?.length || isBeingDeleted(daemonSet))
    return leave(`${title} is not left behind by a LinstorSatellite, or goes by itself.`);
  return write(`${title} is deleted, because its LinstorSatellite is gone.`, [removed(daemonSet)]);
}

function removed({ metadata: { namespace, name, uid, resourceVersion } }: KubernetesObject): Write {
  return { verb: "delete", kind: DaemonSet, namespace, name, options: { uid, resourceVersion } };
}

function applied(
  { satellite }: ConfiguredSeen,
  daemonSet: KubernetesObject | undefined,
  workloadSettings: { readonly namespace: string; readonly image: string },
  now: number,
  at: About,
): Decision {
  const title = `LinstorSatellite ${satellite.metadata.name}`;
  const report = (status: "True" | "False", reason: string, message: string) =>
    conditionWrites(satellite, [{ type: lifeConditions.applied, status, reason, message }], now);
  const next = now + 10_000;
  const of = daemonSet?.metadata.labels?.[satelliteLabel];
  if (daemonSet && of !== satellite.metadata.uid) {
    const message = `The DaemonSet of an earlier ${title} is still there. It is deleted, and then created again.`;
    const left = daemonSet.metadata.ownerReferences?.length || isBeingDeleted(daemonSet) ? [] : [removed(daemonSet)];
    return at.write(message, [...report("False", "InProgress", message), ...left], { step: { name: "waiting" }, next });
  }
  const patches = satellite.spec?.patches ?? [];
  const config = applyPatches(satelliteConfigMap(satellite, workloadSettings), configMap, patches);
  if ("problem" in config) return refused(config.problem);
  const base = satelliteDaemonSet(satellite, config.object, workloadSettings);
  const patched = applyPatches(withSelectorOf(daemonSet, base), workload, patches);
  if ("problem" in patched) return refused(patched.problem);
  const owner = ownerOf(satellite);
  const hash = hashOf([config.object, patched.object, owner]);
  const isWell = `The DaemonSet is as the spec says.${byHand(satellite)}`;
  if (daemonSet?.metadata.annotations?.[appliedKey] === hash && contains(daemonSet.spec, patched.object.spec)) {
    const writes = report("True", "AsExpected", isWell);
    return writes.length > 0 ? at.write(isWell, writes) : at.leave(isWell);
  }
  const message = `The DaemonSet of ${title} is being applied.`;
  const doubt = `${message} If this lasts, the API server refuses it: check the patches and the podTemplate.`;
  return at.write(message, [
    ...report("False", "InProgress", doubt),
    apply(ConfigMap, config.object, {}, owner),
    apply(DaemonSet, patched.object, { [appliedKey]: hash }, owner, daemonSet),
  ]);

  function refused(problem: string): Decision {
    const writes = report("False", "Error", `Error: ${problem}`);
    return at.write(problem, writes, { step: { name: "refused" } });
  }
}

/** What piraeus-operator would have done besides, and a person must do. */
function byHand(satellite: ConfiguredSatellite): string {
  return satellite.spec?.internalTLS?.certManager
    ? " Holdfast requests no certificate from cert-manager. The pod starts when the Secret " +
        `${tlsSecretOf(satellite)} exists.`
    : "";
}

/** The names by which piraeus-operator's patches know them. */
const workload = { kind: "DaemonSet", name: "linstor-satellite" };
const configMap = { kind: "ConfigMap", name: "satellite-config" };

/** A selector cannot be changed: one that piraeus-operator has made keeps its own, and its pods the labels for it. */
function withSelectorOf(live: KubernetesObject | undefined, base: ReturnType<typeof satelliteDaemonSet>) {
  const { selector } = (live?.spec ?? {}) as { selector?: { matchLabels?: Record<string, string> } };
  if (!selector) return base;
  const { template } = base.spec;
  const labels = { ...selector.matchLabels, ...template.metadata.labels };
  return {
    ...base,
    spec: { ...base.spec, selector, template: { ...template, metadata: { ...template.metadata, labels } } },
  };
}

/**
 * The reference by which both go with the satellite, once its finalizer has left. A satellite that is deleted from the
 * outside in (`--cascade=foreground`) would lose them first, and with them its connection, before anything is moved:
 * there they have no owner, and are deleted when it is gone.
 */
function ownerOf({ metadata: { name, uid, finalizers = [] } }: KubernetesObject): readonly object[] {
  if (finalizers.includes("foregroundDeletion")) return [];
  const { apiVersion, kind } = LinstorSatellite;
  return [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false }];
}

function apply(
  kind: Kind,
  object: object,
  annotations: object,
  ownerReferences: readonly object[],
  live?: KubernetesObject,
): Write {
  const { metadata, ...rest } = object as { metadata: KubernetesObject["metadata"] };
  const patch = {
    ...rest,
    metadata: {
      ...metadata,
      // Where it is gone or another one meanwhile, the apply fails.
      ...(live ? { uid: live.metadata.uid, resourceVersion: live.metadata.resourceVersion } : {}),
      annotations: { ...metadata.annotations, ...annotations },
      ...(ownerReferences.length > 0 ? { ownerReferences } : {}),
    },
  };
  const { namespace, name } = metadata;
  return { verb: "patch", kind, namespace, name, type: "apply", patch, options: { fieldManager, force: true } };
}

/** Whether everything that is wanted is there; what the API server has added does not matter. */
function contains(live: unknown, wanted: unknown): boolean {
  // A JSON patch may leave null, which the API server takes for nothing.
  if (wanted === null) return live === undefined || live === null;
  if (Array.isArray(wanted))
    return (
      Array.isArray(live) && live.length === wanted.length && wanted.every((one, index) => contains(live[index], one))
    );
  if (typeof wanted !== "object") return live === wanted;
  if (typeof live !== "object" || live === null) return false;
  return Object.entries(wanted).every(([key, value]) => contains((live as Record<string, unknown>)[key], value));
}
