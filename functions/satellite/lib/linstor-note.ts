import { z } from "zod";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
import { sameJson } from "../../../shared/same-json.ts";
import { stop, type Verdict } from "./data/data-facts.ts";
import type { LinstorNode } from "./linstor/objects.ts";
import type { LinstorClusterObject } from "./satellite.ts";

/**
 * Annotation of a LinstorSatellite: the LINSTOR in which its node was last called for or connected, and the uuid that
 * the node has there. It is written with the call that registers the node, when LINSTOR is connected with it, and when
 * an evacuation begins that finds none; while the satellite leaves, it stays. What another LINSTOR says of a node of
 * that name, or that it does not know it, is not about this satellite. A node that has come in the place of another one
 * in the same LINSTOR says nothing of the data of the former one: `former` is the uuid of that, and stays. Of volumes
 * in `without` LINSTOR listed no copy when it was called to register the node: its disks may have them from before.
 */
export const linstorKey = "holdfast.dev/linstor";

const version = z.number().int().min(1).max(2);
const uuid = z.string().optional();
const without = z.array(z.string()).optional();
const schema = z.looseObject({ v: version, uid: z.string(), url: z.string(), node: uuid, former: uuid, without });

/**
 * Where a satellite's node is: the root of its LINSTOR, its uuid as far as anybody has seen it, and that of the node
 * before it.
 */
export interface LinstorNote {
  readonly url: string;
  readonly node?: string | undefined;
  readonly former?: string | undefined;
  readonly without?: readonly string[] | undefined;
}

/**
 * The note of this very object; what was copied from another object counts as none. A note that is damaged is one of no
 * known LINSTOR: to take it for none would let a satellite go whose node is elsewhere.
 */
export function readNote(object: KubernetesObject): LinstorNote | undefined {
  const written = readAnnotation(object, linstorKey, schema);
  if (written) return written.uid === object.metadata.uid ? written : undefined;
  return object.metadata.annotations?.[linstorKey] === undefined ? undefined : { url: unreadable };
}

const unreadable = "";

/** Volumes of which the LINSTOR at `url` listed no copy when it was called to register the node. */
export function withoutCopies(object: KubernetesObject, url: string): readonly string[] {
  const note = readNote(object);
  return (note?.url === url && note.without) || [];
}

/**
 * The annotation that is to be set so that the note says this; nothing where it does already. What it says of volumes
 * `without` a copy stays where nothing new is said.
 */
export function noteChange(
  object: KubernetesObject,
  url: string,
  uuid: string | undefined,
  without: readonly string[] = withoutCopies(object, url),
): Record<string, string> {
  const before = readNote(object);
  const node = uuid ?? (before?.url === url ? before.node : undefined);
  const former = formerOf(object, url, uuid);
  const isSame = before?.url === url && before.node === node && before.former === former;
  if (isSame && sameJson(without, withoutCopies(object, url))) return {};
  const more = without.length > 0 ? { without } : {};
  return { [linstorKey]: JSON.stringify({ v: 1, uid: object.metadata.uid, url, node, former, ...more }) };
}

/**
 * The uuid of a node of the satellite that the LINSTOR at `url` has had before the one with this uuid, if any: a person
 * has removed it there, and the disks may still have its data.
 */
export function formerOf(object: KubernetesObject, url: string, uuid: string | undefined): string | undefined {
  const note = readNote(object);
  if (!note || isAnother(object, url, { uuid })) return undefined;
  return note.former ?? (uuid === undefined || note.node === uuid ? undefined : note.node);
}

/**
 * Whether a node of a satellite's name in the LINSTOR at `url` is another one than the satellite has had. The same uuid
 * at another address is the same LINSTOR, which has moved.
 */
export function isAnother(object: KubernetesObject, url: string, node: Pick<LinstorNode, "uuid"> | undefined): boolean {
  const note = readNote(object);
  if (!note || note.url === url) return false;
  return note.node === undefined || node?.uuid !== note.node;
}

/** Why nothing is done for a satellite in the LINSTOR at `url`, which `knows` about its node what it says. */
export function movedBecause(
  object: KubernetesObject,
  cluster: LinstorClusterObject | undefined,
  url: string,
  knows: string,
): Verdict {
  const { name } = object.metadata;
  if (readNote(object)?.url === unreadable)
    return stop(
      `The annotation ${linstorKey} of LinstorSatellite ${name} is damaged, so Holdfast does not know in which ` +
        "LINSTOR its node is. Holdfast calls, releases and removes nothing.",
      `If it is the one at ${url}, which ${knows}: \`kubectl annotate linstorsatellite ${name} ${linstorKey}-\``,
    );
  const of = cluster ? `the LinstorCluster ${cluster.metadata.name}` : "its clusterRef";
  return stop(
    `LinstorSatellite ${name} has its node in the LINSTOR at ${readNote(object)?.url}, and ${of} now leads to ` +
      `the one at ${url}, which ${knows}. Holdfast calls, releases and removes nothing.`,
    "Have spec.externalController, or LINSTOR_URL where there is none, lead to the former one again. Only if its " +
      `data there is given up: \`kubectl annotate linstorsatellite ${name} ${linstorKey}-\``,
  );
}
