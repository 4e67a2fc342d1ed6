import { hasLabels } from "../../../../shared/kubernetes/label-selector.ts";
import { type Labelled, matchesNodeSelector } from "../../../../shared/kubernetes/node-selector.ts";
import type { DeletionPolicy } from "../satellite.ts";
import type { LinstorSatelliteConfigurationSpec } from "../schema/resources.ts";
import type { Patch, SatelliteConfig } from "../schema/satellite-spec.ts";

/** A LinstorSatelliteConfiguration as far as merging goes. */
export interface Configuration {
  readonly name: string;
  readonly spec: LinstorSatelliteConfigurationSpec;
}

/** What all configurations that match a Node come to. */
export interface Merged {
  readonly spec: SatelliteConfig & { readonly deletionPolicy: DeletionPolicy };
  /** Names of those that match, in the order in which they were applied. */
  readonly applied: readonly string[];
}

/**
 * Merges the configurations that match a Node, in the order of their names: properties and storage pools by name, where
 * a later one replaces an earlier one whole; patches one after the other; of everything else the last that says
 * anything. Without a policy it is Retain.
 */
export function mergeConfigurations(configurations: readonly Configuration[], node: Labelled): Merged {
  const matching = configurations
    .filter(({ spec }) => hasLabels(spec.nodeSelector, node.labels) && matchesNodeSelector(spec.nodeAffinity, node))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const specs = matching.map(({ spec }) => spec);
  const last = <Key extends keyof SatelliteConfig>(key: Key) => specs.findLast((spec) => spec[key])?.[key];
  const lists = {
    properties: byName(specs.flatMap(({ properties = [] }) => properties)),
    storagePools: byName(specs.flatMap(({ storagePools = [] }) => storagePools)),
    patches: specs.flatMap(({ podTemplate, patches = [] }) => [
      ...(podTemplate ? [podPatch(podTemplate)] : []),
      ...patches,
    ]),
  };
  const spec = {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...given("internalTLS", last("internalTLS")),
    ...given("ipFamilies", last("ipFamilies")),
    ...given("evacuationStrategy", last("evacuationStrategy")),
    deletionPolicy: last("deletionPolicy") || "Retain",
  } as Merged["spec"];
  return { spec, applied: matching.map(({ name }) => name) };
}

const given = (key: string, value: unknown) => (value === undefined ? {} : { [key]: value });

function byName<Item extends { readonly name: string }>(items: readonly Item[]): readonly Item[] {
  const latest = new Map(items.map((item) => [item.name, item]));
  return [...latest.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** A pod template is a patch of the satellite's DaemonSet; JSON is YAML, too. */
function podPatch(template: object): Patch {
  const name = "linstor-satellite";
  const patch = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name }, spec: { template } };
  return { target: { kind: "DaemonSet", name }, patch: JSON.stringify(patch) };
}

/** Which Nodes a configuration applies to: its status. */
export function appliedTo(configuration: Configuration, nodes: readonly Labelled[]) {
  const matching = nodes.filter((node) => mergeConfigurations([configuration], node).applied.length > 0);
  const names = matching.map(({ name }) => name).sort();
  return { appliedTo: names, matched: names.length };
}
