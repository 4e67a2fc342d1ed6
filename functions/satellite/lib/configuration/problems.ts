import { readGoDuration } from "../../../../shared/kubernetes/go-duration.ts";
import { isLabelKey, isLabelValue } from "../../../../shared/kubernetes/label-syntax.ts";
import type { NodeSelector } from "../../../../shared/kubernetes/node-selector.ts";
import { type Requirement, readInteger } from "../../../../shared/kubernetes/requirement.ts";
import { objectName } from "../../../../shared/names.ts";
import type { LinstorSatelliteConfigurationSpec } from "../schema/resources.ts";
import { deletionPolicy, type Property, type StoragePool, storagePoolKinds } from "../schema/satellite-spec.ts";
import { resolveProperties } from "./resolve-properties.ts";

/**
 * What is wrong with the Nodes that a configuration selects, as a sentence. While it is, no rule can say which Nodes it
 * is meant for: that it matches none would be a guess. The rules are those of `core/v1.NodeSelector`.
 */
export function affinityProblem(affinity: NodeSelector | undefined): string | undefined {
  if (affinity === undefined) return undefined;
  const terms = affinity.nodeSelectorTerms;
  if (!Array.isArray(terms) || terms.length === 0)
    return "Its nodeAffinity has no nodeSelectorTerms: give at least one.";
  for (const { matchExpressions = [], matchFields = [] } of terms as NodeSelector["nodeSelectorTerms"])
    for (const problem of [...matchExpressions.map(expressionProblem), ...matchFields.map(fieldProblem)])
      if (problem) return `Its nodeAffinity ${problem}.`;
  return undefined;
}

function expressionProblem(requirement: Requirement): string | undefined {
  return operatorProblem(requirement) ?? labelProblem(requirement);
}

function operatorProblem({ key, operator, values = [] }: Requirement): string | undefined {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0 ? undefined : `asks for ${key} ${operator} without values`;
    case "Exists":
    case "DoesNotExist":
      return values.length === 0 ? undefined : `asks for ${key} ${operator} with values, which it cannot have`;
    case "Gt":
    case "Lt":
      return values.length === 1 && readInteger(values[0]) !== undefined
        ? undefined
        : `asks for ${key} ${operator} with something other than one whole number of at most 64 bits`;
    default:
      return `has the operator ${operator}, which is none of In, NotIn, Exists, DoesNotExist, Gt and Lt`;
  }
}

/** Why no label can meet a requirement, as the end of a sentence. */
export function labelProblem({ key, operator, values = [] }: Partial<Requirement>): string | undefined {
  if (!isLabelKey(key ?? "")) return `asks for ${key || "an empty key"}, which cannot be the key of a label`;
  const wrong = values.find((value) => !isLabelValue(value));
  if (wrong === undefined) return undefined;
  return `asks for ${key} ${operator ? `${operator} ` : ""}with the value ${wrong}, which no label can have`;
}

function fieldProblem({ key, operator, values = [] }: Requirement): string | undefined {
  if (key !== "metadata.name") return `asks for the field ${key}; only metadata.name can be asked for`;
  return (operator === "In" || operator === "NotIn") && values.length === 1 && objectName.safeParse(values[0]).success
    ? undefined
    : "asks for metadata.name with something other than In or NotIn and the name of one Node";
}

/** What is wrong with the rest of a configuration, a sentence for each thing that its definition cannot refuse. */
export function contentProblems(spec: LinstorSatelliteConfigurationSpec): readonly string[] {
  const policy = spec.deletionPolicy;
  const known = !policy || deletionPolicy.safeParse(policy).success;
  const pools = spec.storagePools ?? [];
  const devices = pools.flatMap(({ source }) => source?.hostDevices ?? []);
  return [
    ...(known ? [] : [`Its deletionPolicy ${policy} is none of Evacuate, Retain and Delete.`]),
    ...propertyProblems(spec.properties),
    ...pools.flatMap(poolProblems),
    ...twice(devices).map((device) => `Its storage pools use ${device} twice.`),
    ...strategyProblems(spec),
  ];
}

const propertyProblems = (properties: readonly Property[] | undefined) =>
  (properties ?? []).flatMap((property) => {
    // On a Node without any field every path ends in nothing; what is none is a problem all the same.
    const resolved = resolveProperties([property], {});
    return "problem" in resolved ? [resolved.problem] : [];
  });

const poolName = /^[A-Za-z0-9][A-Za-z0-9_-]{1,46}[A-Za-z0-9]$/;
const volumeGroup = /^[A-Za-z0-9.+_-]+$/;

function poolProblems(pool: StoragePool): readonly string[] {
  const { name } = pool;
  const given = storagePoolKinds.filter((kind) => pool[kind]);
  const groups = [pool.lvmPool?.volumeGroup, pool.lvmThinPool?.volumeGroup, pool.lvmThinPool?.thinPool];
  const directories = [pool.filePool?.directory, pool.fileThinPool?.directory];
  const devices = pool.source?.hostDevices ?? [];
  const isFile = pool.filePool !== undefined || pool.fileThinPool !== undefined;
  return [
    ...(poolName.test(name) ? [] : [`The storage pool ${name} has a name that LINSTOR does not take.`]),
    ...(given.length === 1 ? [] : [`The storage pool ${name} must have exactly one kind of storage.`]),
    ...groups
      .filter((group) => group && !volumeGroup.test(group))
      .map((group) => `The storage pool ${name} names ${group}, which cannot be a volume group or thin pool.`),
    ...directories
      .filter((path) => path && !isPath(path))
      .map((path) => `The storage pool ${name} has the directory ${path}, which is no absolute path without dots.`),
    ...devices
      .filter((device) => !device.startsWith("/dev/") || !isPath(device))
      .map((device) => `The storage pool ${name} has the device ${device}, which is no path below /dev.`),
    ...(isFile && devices.length > 0 ? [`The storage pool ${name} of files cannot be made of devices.`] : []),
    ...propertyProblems(pool.properties),
  ];
}

/** Absolute, and as short as it can be. */
const isPath = (path: string) => path.startsWith("/") && !/\/(\.{0,2})(\/|$)/.test(path);

function strategyProblems({ evacuationStrategy = {} }: LinstorSatelliteConfigurationSpec): readonly string[] {
  const { unattachedVolumeAttachTimeout: unattached } = evacuationStrategy;
  return [
    ...Object.entries(evacuationStrategy)
      .filter(([, duration]) => readGoDuration(duration) === undefined)
      .map(([name, duration]) => `Its ${name} is ${duration}, which is no duration such as 5m or 1h30m.`),
    ...(readGoDuration(unattached)
      ? [
          `Its evacuationStrategy has the unattachedVolumeAttachTimeout ${unattached}, and Holdfast does not wait ` +
            "for volumes that are not attached: set it to 0.",
        ]
      : []),
  ];
}

const twice = (items: readonly string[]) => [...new Set(items.filter((item, at) => items.indexOf(item) !== at))];
