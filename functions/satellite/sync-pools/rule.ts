import { type About, about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on, rule } from "../../../shared/rule.ts";
import { silent, warning } from "../../../shared/steps.ts";
import { resync } from "../../../shared/sweep.ts";
import type { Command } from "../../../shared/system/command.ts";
import {
  createPool,
  evictionKey,
  forbidEviction,
  setNodeProperties,
  setPoolProperties,
} from "../lib/configuration/commands.ts";
import {
  type ConfiguredSatellite,
  type ConfiguredSeen,
  lookAtConfigured,
} from "../lib/configuration/configured-satellite.ts";
import { resolveProperties } from "../lib/configuration/resolve-properties.ts";
import { listed } from "../lib/data/data-facts.ts";
import { lookAtOwnNode } from "../lib/data/look-at-data.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { leftAlone } from "../lib/left-alone.ts";
import {
  isEvacuating,
  isOnline,
  isWitnessed,
  type LinstorNode,
  type StoragePool as LinstorPool,
  type Resource,
  sameName,
} from "../lib/linstor/objects.ts";
import { linstor } from "../lib/linstor/system.ts";
import { hasNodeProperties } from "../lib/node-digest.ts";
import { lastAppliedKey, propertyChanges } from "../lib/pools/property-changes.ts";
import { backingOf, storageKey } from "../lib/pools/wanted-pool.ts";
import { conditionWrites, isSettled, lifeConditions } from "../lib/satellite.ts";
import { mayLook, satelliteRule } from "../lib/satellite-rule.ts";
import type { StoragePool } from "../lib/schema/satellite-spec.ts";
import { satellitesIn } from "../lib/subjects.ts";

const name = "satellite/sync-pools";
/** The first repetition of a call that has not had its effect, and the longest time between two. Milliseconds. */
const [again, longest] = [10_000, 600_000];

/** What LINSTOR says of a satellite's node. */
interface Listed {
  readonly node: LinstorNode;
  readonly pools: readonly LinstorPool[];
  readonly resources: readonly Resource[];
  /** Of the controller. */
  readonly properties: Readonly<Record<string, string>>;
}
/** A satellite with its node in LINSTOR, where it is to be configured and LINSTOR knows it. */
export type Facts = (ConfiguredSeen & { readonly found: Listed | undefined }) | undefined;

export const syncPools = rule({
  name,
  doc: "Gives a satellite's node in LINSTOR its properties and storage pools, and never removes a pool.",
  ...satelliteRule,
  triggers: [on(LinstorSatellite, ["add", "update"])],
  permissions: mayLook({
    why: "to read the storage pools in its spec, and to note which call to LINSTOR was made for them",
    conditions: [lifeConditions.configured],
    events: "the satellite",
  }),
  sweep: [resync(LinstorSatellite)],
  steps: { configuring: silent, refused: warning("SatelliteNotConfigured") },
  systems: { linstor },
  subjects: (hint) => satellitesIn(hint, name, mayNeedCalls),
  look: async ({ name = "" }, { client, linstor, settings }): Promise<Facts> => {
    const seen = await lookAtConfigured(client, name, settings);
    if (!seen || aloneBecause(seen)) return seen && { ...seen, found: undefined };
    const own = linstor.at(seen.controller);
    // One that it has had elsewhere is registered here first.
    const { node } = await lookAtOwnNode(own, seen);
    if (!node || !isOnline(node)) return { ...seen, found: node && { node, pools: [], resources: [], properties: {} } };
    const pools = await own.pools.onNode(name);
    const resources = await own.resources.onNode(name);
    const properties = seen.policy === "Retain" ? await own.controller.properties() : {};
    return { ...seen, found: pools && resources && { node, pools, resources, properties } };
  },
  decide,
});

/**
 * One that LINSTOR has lost is not configured either, which others go by. One whose properties are its Node's may have
 * an update because the Node has changed.
 */
const mayNeedCalls = (satellite: ConfiguredSatellite) =>
  !isBeingDeleted(satellite) &&
  !(
    isSettled(satellite, lifeConditions.configured) &&
    isSettled(satellite, lifeConditions.available) &&
    !hasNodeProperties(satellite.spec)
  );

/** Why a satellite is not configured, before LINSTOR is asked. */
const aloneBecause = (seen: ConfiguredSeen) => leftAlone(seen, "leaves, and stays as it is.");

function decide(seen: Facts, now: number): readonly Decision[] {
  if (!seen) return [];
  const at = about(LinstorSatellite, seen.satellite);
  const alone = aloneBecause(seen);
  if (alone) return [at.leave(alone)];
  const { satellite, found } = seen;
  const report = (status: "True" | "False" | "Unknown", reason: string, message: string) =>
    conditionWrites(satellite, [{ type: lifeConditions.configured, status, reason, message }], now);
  const said = (writes: ReturnType<typeof report>, message: string) => [
    writes.length > 0 ? at.write(message, writes) : at.leave(message),
  ];
  if (!found || !isOnline(found.node) || isEvacuating(found.node) || !isWitnessed(found.node)) {
    const why = !found
      ? "does not list the node yet"
      : "is not connected with it, is evacuating it, or has it for another satellite";
    const message = `The satellite is configured when it is registered and ONLINE: LINSTOR ${why}.`;
    return said(report("Unknown", "NotObserved", message), message);
  }
  const next = nextStep(seen, found);
  if (!next) {
    const message = `Properties and storage pools are as the spec says.${leftOver(seen, found)}`;
    return said(report("True", "AsExpected", message), message);
  }
  if ("problem" in next)
    return [
      at.write(next.problem, report("False", "Error", `Error: ${next.problem}`), {
        step: { name: "refused" },
        next: now + longest,
      }),
    ];
  return [called(seen, next, now, at, report("False", "InProgress", next.message))];
}

type Next =
  | { readonly problem: string }
  | { readonly what: string; readonly message: string; readonly command: Command };

/** The first thing that is not as it should be: one call at a time, and another look after each. */
function nextStep(
  { satellite, node: object, cluster, policy, controller: at }: ConfiguredSeen,
  found: Listed,
): Next | undefined {
  const { node, properties } = found;
  const { name } = satellite.metadata;
  const own = cluster?.spec?.properties?.some((property) => property.name === evictionKey);
  if (policy === "Retain" && !own && !/^false$/i.test(properties[evictionKey] ?? "")) {
    const toRetain = `the data of ${name} is to be retained`;
    const message = `LINSTOR is set not to give up nodes that are offline for long: ${toRetain}.`;
    return { what: "eviction", message, command: forbidEviction({ at }) };
  }
  const resolved = resolveProperties(satellite.spec?.properties ?? [], object ?? {});
  if ("problem" in resolved) return resolved;
  const changes = propertyChanges(node.props, resolved.properties);
  if (changes) {
    const message = `LINSTOR is given the properties of ${name}: ${changed(changes)}.`;
    return { what: "node", message, command: setNodeProperties({ at, node: node.name, changes }) };
  }
  for (const pool of satellite.spec?.storagePools ?? []) {
    const next = nextOfPool(pool, object ?? {}, found, at);
    if (next) return next;
  }
  return undefined;
}

function nextOfPool(
  pool: StoragePool,
  object: object,
  { node, pools, resources }: Listed,
  at: string | undefined,
): Next | undefined {
  const backing = backingOf(pool);
  if (!backing) return { problem: `The storage pool ${pool.name} is of no kind that is known.` };
  const resolved = resolveProperties(pool.properties ?? [], object);
  if ("problem" in resolved) return { problem: `Of the storage pool ${pool.name}: ${resolved.problem}` };
  const wanted = { ...resolved.properties, [storageKey]: backing.storage };
  const present = pools.find((one) => sameName(one.name, pool.name));
  const title = `the storage pool ${pool.name} on ${node.name}`;
  const changes = propertyChanges(present?.props ?? {}, wanted);
  if (!present) {
    const devices = pool.source?.hostDevices;
    if (!node.providers.includes(backing.provider))
      return {
        problem:
          `LINSTOR cannot make ${title}: its satellite does not offer ${backing.provider}. ` +
          "Check that its tools are installed there.",
      };
    if (devices)
      return {
        problem:
          `LINSTOR does not have ${title}. To make it of ${listed(devices)} erases the devices, so Holdfast leaves ` +
          `this to a person: \`linstor physical-storage create-device-pool --storage-pool ${pool.name} ` +
          `${backing.provider} ${node.name} ${devices.join(" ")}\``,
      };
    const message = `Holdfast has LINSTOR make ${title}: ${backing.provider} in ${backing.storage}.`;
    const command = createPool({ at, node: node.name, pool: pool.name, backing, changes: changes ?? {} });
    return { what: `pool ${pool.name}`, message, command };
  }
  const storage = present.props[storageKey];
  if (present.provider !== backing.provider || storage !== backing.storage)
    return {
      problem:
        `LINSTOR has ${title} as ${present.provider} in ${storage ?? "nothing"}, and the spec says ` +
        `${backing.provider} in ${backing.storage}. A pool is never given other storage: use another name, or delete ` +
        "it in LINSTOR when it is empty.",
    };
  const broken = present.reports.find(({ severity }) => severity === "error");
  if (broken)
    return { problem: `LINSTOR says of ${title}: ${broken.message ?? broken.details ?? `error ${broken.code}`}.` };
  const isUsed = resources.some(({ volumes }) => volumes.some((volume) => volume.pool === present.name));
  // It lists pools as well that the satellite has refused. Those that it has taken say so, or hold volumes.
  if (!isUsed && present.props[lastAppliedKey] === undefined)
    return {
      problem:
        `LINSTOR lists ${title}, and nothing says that its satellite can use ${backing.storage}: it may have refused ` +
        `it. Look there, and delete the pool in LINSTOR to have it made again, or set its property ${lastAppliedKey} ` +
        "to [] if the pool works.",
    };
  if (!changes) return undefined;
  const message = `LINSTOR is given the properties of ${title}: ${changed(changes)}.`;
  const command = setPoolProperties({ at, node: node.name, pool: present.name, changes });
  return { what: `pool ${pool.name}`, message, command };
}

const changed = ({ set = {}, remove = [] }: { set?: Readonly<Record<string, string>>; remove?: readonly string[] }) =>
  listed([...Object.keys(set).filter((key) => key !== lastAppliedKey), ...remove.map((key) => `no ${key}`)]) || "none";

/** Pools that no configuration names any more hold data, or may do so tomorrow. */
function leftOver({ satellite }: ConfiguredSeen, { pools }: Listed): string {
  const wanted = satellite.spec?.storagePools ?? [];
  const others = pools
    .filter((pool) => pool.provider !== "DISKLESS" && !wanted.some((one) => sameName(one.name, pool.name)))
    .map((pool) => pool.name);
  return others.length > 0 ? ` Storage pools that the spec does not name stay: ${listed(others)}.` : "";
}

/** The same call is not repeated before the one before has had time, and less and less often when it has no effect. */
function called(
  { satellite }: ConfiguredSeen,
  { what, message, command }: Exclude<Next, { problem: string }>,
  now: number,
  at: About,
  writes: ReturnType<typeof conditionWrites>,
): Decision {
  const before = readProgress(satellite, name);
  const generation = satellite.metadata.generation ?? 0;
  const isSame = before?.step === "configuring" && before.what === what && before.generation === generation;
  const due = Date.parse(before?.next ?? "");
  if (isSame && due > now && due <= now + longest) return at.wait(`${message} Holdfast looks again soon.`);
  const attempt = isSame ? (before.attempt ?? 1) + 1 : 1;
  return at.call(message, {
    step: { name: "configuring", attempt, details: { what, generation } },
    writes,
    command,
    next: now + Math.min(longest, again * 2 ** (attempt - 1)),
  });
}
