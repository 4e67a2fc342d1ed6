import { readNote } from "../../functions/undelete/lib/note.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Claim, Volume } from "../../shared/storage/volume.ts";
import { readOrNote } from "../cluster/read-or-note.ts";
import type { FoundRules } from "../rules/ask-rules.ts";
import { type Asking, judge } from "../rules/judge.ts";
import type { VolumeFate } from "./prediction.ts";

const reserving = "undelete/reserve";

/** The volume that a claim is bound to, read live; nothing where it has none. */
export async function volumeOf(client: Client, claim: KubernetesObject, gaps: string[]): Promise<Volume | undefined> {
  const { volumeName } = (claim as Claim).spec ?? {};
  if (!volumeName) return undefined;
  return readOrNote(gaps, `What becomes of volume ${volumeName}`, () =>
    client.get<Volume>(PersistentVolume, undefined, volumeName),
  );
}

/**
 * What becomes of a volume when its claim is gone, as `asking` shows it: what Holdfast has noted on it is carried on by
 * the rule that does so; of all others Kubernetes' reclaim policy decides.
 */
export async function fateOf(
  volume: Volume,
  { installed, isGuess }: FoundRules,
  asking: Asking,
  gaps: string[],
): Promise<VolumeFate> {
  const { name } = volume.metadata;
  const { persistentVolumeReclaimPolicy: policy = "Retain" } = volume.spec;
  if (policy !== "Retain")
    return { volume: name, fate: "deleted", because: `Its reclaim policy is ${policy}: Kubernetes deletes its data.` };
  if (!readNote(volume)) {
    const because = "Its reclaim policy is Retain: it is Released, and its data stays until a person acts.";
    return { volume: name, fate: "stays", because };
  }
  const rule = installed.find((one) => one.rule.name === reserving);
  if (!rule || isGuess) {
    if (isGuess) gaps.push(`You may not read whether ${reserving} is installed, which keeps volume ${name}.`);
    const because = `Holdfast has set its reclaim policy to Retain, and ${reserving} is not installed: it stays.`;
    return { volume: name, fate: "stays", because };
  }
  const judgement = await judge(rule, PersistentVolume, volume, asking);
  if ("unknown" in judgement) {
    gaps.push(`Until when volume ${name} is kept: ${judgement.unknown}`);
    return { volume: name, fate: "kept", because: "Holdfast keeps it, for a time that could not be found out." };
  }
  const decision = judgement.decisions.find(({ about }) => about.metadata.uid === volume.metadata.uid);
  const next = decision && "next" in decision ? decision.next : undefined;
  return {
    volume: name,
    fate: "kept",
    ...(next !== undefined && Number.isFinite(next) ? { until: new Date(next).toISOString() } : {}),
    because: decision?.message ?? "Holdfast keeps it.",
  };
}
