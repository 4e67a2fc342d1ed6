import { offerKey, readNote, reclaimAtKey, reclaimTime } from "../../functions/undelete/lib/note.ts";
import { readTime } from "../../functions/undelete/lib/read-time.ts";
import { successorKey } from "../../functions/undelete/lib/successor.ts";
import { Namespace, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { readProgress } from "../../shared/progress.ts";
import type { Volume } from "../../shared/storage/volume.ts";
import { type Objects, objectsOf } from "../api/use-list.ts";
import type { Action } from "../parts/act.tsx";
import { annotation } from "../parts/annotation.ts";
import { whyUnread } from "../parts/why-unread.ts";

const annotate = (volume: Volume, key: string, value: string | null) =>
  annotation(PersistentVolume, "pv", volume.metadata, key, value);

const week = 7 * 86_400_000;
/** RFC 3339, to the second. */
const timeText = (time: number) => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");

/** Until a time that a person enters; a week more is offered. */
export function keepLonger(volume: Volume): Action {
  const given = reclaimTime(volume);
  const initial = timeText((Number.isFinite(given) ? given : Date.now()) + week);
  const changeFor = (until: string) => annotate(volume, reclaimAtKey, until);
  return {
    label: "Keep longer",
    does: `This keeps the volume ${volume.metadata.name} until the time that you name. Its storage costs as before.`,
    ...changeFor(initial),
    entry: {
      label: "Keep until",
      initial,
      changeFor,
      problemIn(text) {
        const time = readTime(text);
        if (Number.isNaN(time)) return "Write a time as RFC 3339 has it, such as 2030-01-31T12:00:00Z.";
        return time <= Date.now() ? "This time is past: choose Reclaim now instead." : undefined;
      },
    },
  };
}

export const keepForGood = (volume: Volume): Action => ({
  label: "Keep for good",
  does: `This keeps the volume ${volume.metadata.name} until a person names a time again.`,
  ...annotate(volume, reclaimAtKey, null),
});

export function reclaim(volume: Volume): Action {
  const policy = readNote(volume)?.policy ?? "its former one";
  return {
    label: "Reclaim now",
    does:
      `This leaves the volume ${volume.metadata.name} to Kubernetes with the sweep's next tick, within five ` +
      `minutes. Its reclaim policy is then ${policy} again` +
      (policy === "Retain" ? ", so that it stays Released." : ", so that Kubernetes deletes its data."),
    ...annotate(volume, reclaimAtKey, timeText(Date.now())),
    isDanger: true,
  };
}

export function offer(volume: Volume): Action {
  const { namespace, name } = readNote(volume)?.claim ?? {};
  return {
    label: "Offer",
    does:
      `This offers the volume ${volume.metadata.name} to the next claim with the name ${namespace}/${name}. ` +
      "Every user who may create that claim can get the data.",
    ...annotate(volume, offerKey, "yes"),
  };
}

export const withhold = (volume: Volume): Action => ({
  label: "Withdraw the offer",
  does:
    `This keeps the volume ${volume.metadata.name}, and offers it to no claim. A claim of its name gets a new ` +
    "volume.",
  ...annotate(volume, offerKey, "no"),
});

/**
 * Names the namespace of this name now the successor of the volume's; `undefined` where this would have no effect, and
 * refused while namespaces are not read. The rule names the annotation only where a setting says that it counts.
 */
export function nameSuccessor(volume: Volume, namespaces: Objects<KubernetesObject>): Action | undefined {
  const { step, namespaceUid, claim } = readNote(volume) ?? {};
  const isAdvised = readProgress(volume, "undelete/note")?.because?.includes(successorKey);
  if (step !== "asks" || !namespaceUid || !claim || !isAdvised) return undefined;
  const name = claim.namespace;
  const unread = whyUnread(namespaces);
  const home = objectsOf(namespaces).find(({ metadata }) => metadata.name === name)?.metadata;
  // The former one itself may still be on its way out.
  if (!unread && (!home || home.uid === namespaceUid || home.deletionTimestamp)) return undefined;
  // No namespace that is there has the uid of the former one: a write with it changes nothing.
  const uid = home?.uid ?? namespaceUid;
  return {
    label: "Name the successor",
    does:
      `This says that namespace ${name} succeeds the former one of this name. All kept volumes of the former one are ` +
      "offered to claims in it.",
    ...annotation(Namespace, "namespace", { name, uid }, successorKey, namespaceUid),
    ...(unread ? { refused: `It is not known which namespace has this name now: ${unread}` } : {}),
  };
}

/** What a person may do about a volume that is kept, or offered, now. */
export function actionsFor(volume: Volume, namespaces: Objects<KubernetesObject>): readonly Action[] {
  const step = readNote(volume)?.step;
  if (step !== "kept" && step !== "asks" && step !== "offered") return [];
  const isTimed = Number.isFinite(reclaimTime(volume));
  const successor = nameSuccessor(volume, namespaces);
  return [
    keepLonger(volume),
    ...(isTimed ? [keepForGood(volume)] : []),
    reclaim(volume),
    step === "offered" ? withhold(volume) : offer(volume),
    ...(successor ? [successor] : []),
  ];
}
