import * as z from "zod";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readAnnotation } from "../../../shared/kubernetes/read-annotation.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import type { DataFacts } from "./data/data-facts.ts";
import { LinstorSatellite } from "./kinds.ts";
import { isDiskless, isGoodCopy, isLeaving, isOnline, type Resource, sameName } from "./linstor/objects.ts";

/**
 * Annotation of a LinstorSatellite: where LINSTOR had the copies of its volumes when the evacuation last looked. People
 * read it, in the console and with kubectl. No rule does.
 */
export const copiesKey = "holdfast.dev/copies";

/** Resource definitions of which the annotation says something; more would be too much for one object. */
const atMost = 500;

const schema = z.record(z.string(), z.record(z.string(), z.string()));

/** What is said of the copies, by resource definition and by node: `UpToDate` for a good one. */
export type CopiesNote = z.output<typeof schema>;

/** What the annotation says; empty where it is missing or cannot be read. */
export const readCopies = (satellite: KubernetesObject): CopiesNote =>
  readAnnotation(satellite, copiesKey, schema) ?? {};

/** The guarded patch that says where the copies are now; none where the annotation says so already. */
export function copiesWrites(satellite: KubernetesObject, data: DataFacts | undefined): readonly Write[] {
  if (!data) return [];
  const text = JSON.stringify(noteOf(data));
  const isNew = satellite.metadata.annotations?.[copiesKey] !== text;
  return isNew ? [annotate(LinstorSatellite, satellite, { [copiesKey]: text })] : [];
}

/** In the order of their names: the same copies make the same text. */
function noteOf({ copies, nodes }: DataFacts): CopiesNote {
  const online = nodes.filter(isOnline);
  const isSeen = ({ node }: Resource) => online.some(({ name }) => sameName(name, node));
  const note: CopiesNote = {};
  for (const copy of copies.toSorted((a, b) => a.name.localeCompare(b.name) || a.node.localeCompare(b.node))) {
    if (!note[copy.name] && Object.keys(note).length === atMost) break;
    note[copy.name] = { ...note[copy.name], [copy.node]: isSeen(copy) ? stateOf(copy) : "unknown, its node is away" };
  }
  return note;
}

function stateOf(copy: Resource): string {
  if (isLeaving(copy)) return "being deleted";
  if (copy.flags.some((flag) => flag === "DISK_ADD_REQUESTED" || flag === "DISK_ADDING")) return "being created";
  if (isDiskless(copy)) return "diskless";
  if (isGoodCopy(copy)) return "UpToDate";
  // Without the share that is done, which changes all the time.
  const states = copy.volumes.map(({ diskState = "unknown" }) => diskState.replace(/\(.*/, ""));
  return [...new Set(states)].sort().join(", ") || "being created";
}
