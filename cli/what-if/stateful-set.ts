import { claimsAfterDeletion, claimsAfterScaling } from "../../functions/pvc-retention/lib/claims-after.ts";
import { projectingRule } from "../../functions/pvc-retention/lib/policy.ts";
import { retentionOf, type StatefulSet } from "../../functions/pvc-retention/lib/stateful-set.ts";
import { systemClock } from "../../shared/clock.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { applyJsonPatch, type JsonPatchOperation } from "../../shared/kubernetes/json-patch.ts";
import { PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { nextProgress, progressKey } from "../../shared/progress.ts";
import { asIf, changedTo } from "../cluster/as-if.ts";
import { askingWith, type FoundRules } from "../rules/ask-rules.ts";
import { judge } from "../rules/judge.ts";
import { predictClaims } from "./claims.ts";
import type { Prediction } from "./prediction.ts";

/** A set, its pods and the claims beside it, as they are when the rules have done what they are about to do. */
async function settled(client: Client, live: StatefulSet, rules: FoundRules, notes: string[], gaps: string[]) {
  const { namespace = "" } = live.metadata;
  const set = await asSynced(client, live, rules, notes, gaps);
  const claims = await Array.fromAsync(client.list<KubernetesObject>(PersistentVolumeClaim, { namespace }));
  const all = await Array.fromAsync(client.list<KubernetesObject>(Pod, { namespace, metadataOnly: true }));
  const isOwn = ({ metadata }: KubernetesObject) =>
    metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid) ?? false;
  return { set, pods: all.filter(isOwn), claims: await asOwned(client, set, claims, rules, gaps) };
}

/** The set with the field and the note that the rule for its policy is about to write. */
async function asSynced(client: Client, set: StatefulSet, rules: FoundRules, notes: string[], gaps: string[]) {
  let noted = set;
  for (const decision of await decisionsOf(projectingRule, client, set, rules, gaps)) {
    const step = "step" in decision && decision.step;
    const note = step && nextProgress(set, projectingRule, step, decision.message, systemClock.now());
    const annotations = { ...set.metadata.annotations, ...(note ? { [progressKey(projectingRule)]: note } : {}) };
    noted = { ...set, metadata: { ...set.metadata, annotations } };
    if (decision.do !== "write") continue;
    for (const write of decision.writes) {
      const { spec } = (write.verb === "patch" ? write.patch : {}) as { spec?: Partial<StatefulSet["spec"]> };
      if (write.verb !== "patch" || write.type !== "apply") continue;
      notes.push(`First Holdfast does what it has not done yet: ${decision.message}`);
      const policy = spec?.persistentVolumeClaimRetentionPolicy ?? { whenDeleted: "Retain", whenScaled: "Retain" };
      const field = { ...retentionOf(set), ...policy };
      return { ...noted, spec: { ...set.spec, persistentVolumeClaimRetentionPolicy: field } };
    }
  }
  return noted;
}

/** The claims with the owner references that the rule for them is about to write. */
async function asOwned(
  client: Client,
  set: StatefulSet,
  claims: readonly KubernetesObject[],
  rules: FoundRules,
  gaps: string[],
): Promise<readonly KubernetesObject[]> {
  const decisions = await decisionsOf(
    "pvc-retention/set-owner",
    asIf(client, [changedTo(Sets, set)]),
    set,
    rules,
    gaps,
  );
  const patches = new Map<string, readonly JsonPatchOperation[]>();
  for (const decision of decisions)
    if (decision.do === "write")
      for (const write of decision.writes)
        if (write.verb === "patch" && write.type === "json")
          patches.set(decision.about.metadata.uid, write.patch as readonly JsonPatchOperation[]);
  return claims.map((claim) => {
    const operations = patches.get(claim.metadata.uid)?.filter(({ op }) => op !== "test");
    return operations ? (applyJsonPatch(structuredClone(claim), operations) as KubernetesObject) : claim;
  });
}

async function decisionsOf(name: string, client: Client, set: StatefulSet, rules: FoundRules, gaps: string[]) {
  const rule = rules.isGuess ? undefined : rules.installed.find((one) => one.rule.name === name);
  if (rules.isGuess) gaps.push(`You may not read whether ${name} is installed: what it is about to do is not known.`);
  if (!rule) return [];
  const judgement = await judge(rule, Sets, set, askingWith(client));
  if ("decisions" in judgement) return judgement.decisions;
  gaps.push(`${name} could not look: ${judgement.unknown}`);
  return [];
}

/** What a scale-down or scale-up of a set takes. @throws ApiError */
export async function ifScaled(
  client: Client,
  live: StatefulSet,
  replicas: number,
  rules: FoundRules,
): Promise<Prediction> {
  const [notes, gaps]: [string[], string[]] = [[], []];
  const seen = await settled(client, live, rules, notes, gaps);
  const { replicas: before = 1 } = live.spec as { replicas?: number };
  const change = `Scale ${describe(referenceTo(live))} from ${before} to ${replicas} replicas`;
  const { start = 0 } = (live.spec.ordinals ?? {}) as { start?: number };
  const left = seen.pods.filter(({ metadata }) => ordinalIn(metadata.name) >= start + replicas);
  const claims = await predictClaims(client, claimsAfterScaling(seen, replicas), { pods: left }, rules, gaps);
  return { change, claims, notes, gaps };
}

const ordinalIn = (name: string) => Number(/-(\d+)$/.exec(name)?.[1] ?? -1);

/** What the deletion of a set takes. @throws ApiError */
export async function ifSetDeleted(client: Client, live: StatefulSet, rules: FoundRules): Promise<Prediction> {
  const [notes, gaps]: [string[], string[]] = [[], []];
  const seen = await settled(client, live, rules, notes, gaps);
  const claims = await predictClaims(client, claimsAfterDeletion(seen), { pods: seen.pods }, rules, gaps);
  return { change: `Delete ${describe(referenceTo(live))} with its pods`, claims, notes, gaps };
}
