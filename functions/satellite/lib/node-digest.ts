import { createHash } from "node:crypto";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ConfiguredSatellite } from "./configuration/configured-satellite.ts";
import { resolveProperties } from "./configuration/resolve-properties.ts";
import { identityOf } from "./machine.ts";
import { candidateOf } from "./matching/candidate.ts";
import { untoleratedTaints } from "./matching/satellite-wanted.ts";
import type { Property } from "./schema/satellite-spec.ts";

/**
 * Annotation of a LinstorSatellite: the digest of its Node. It changes when something of the Node does that a function
 * goes by, and with it the satellite has an update, which triggers them. They read the Node itself; what stands here
 * decides nothing.
 */
export const nodeDigestKey = "holdfast.dev/node-digest";

/**
 * 16 hexadecimal digits for what functions go by of the Node of a satellite that there is: its labels, the taints that
 * may cost it its satellite, the Machine that it is, and the fields that the satellite's properties take from it. A
 * kubelet's status write leaves it as it was, and so do a cordon and a Node that is not ready.
 */
export function nodeDigest(node: KubernetesObject, spec: ConfiguredSatellite["spec"]): string {
  const { labels, taints } = candidateOf(node);
  const against = untoleratedTaints(taints, "has one").map(({ key, value = "", effect }) => [key, value, effect]);
  const { namespace = "", name = "" } = identityOf(node) ?? {};
  const fields = propertiesOf(spec).map((list) => resolveProperties(list.filter(isOfNode), node));
  const read = [Object.entries(labels).toSorted(byText), against.toSorted(byText), [namespace, name], fields];
  return createHash("sha256").update(JSON.stringify(read)).digest("hex").slice(0, 16);
}

/** Whether a property of a satellite, or of one of its storage pools, is taken from its Node. */
export const hasNodeProperties = (spec: ConfiguredSatellite["spec"]): boolean =>
  propertiesOf(spec).flat().some(isOfNode);

const propertiesOf = (spec: ConfiguredSatellite["spec"]): readonly (readonly Property[])[] => [
  spec?.properties ?? [],
  ...(spec?.storagePools ?? []).map(({ properties }) => properties ?? []),
];
const isOfNode = ({ valueFrom }: Property) => valueFrom?.nodeFieldRef !== undefined;
const byText = (one: readonly string[], other: readonly string[]) =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
