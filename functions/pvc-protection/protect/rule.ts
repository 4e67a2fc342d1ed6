import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { addFinalizers, hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { namespaceName } from "../../../shared/names.ts";
import { on, rule } from "../../../shared/rule.ts";
import { finalizerName, holdfastProtection, inTreeProtection } from "../../../shared/storage/protection.ts";
import type { Subject } from "../../../shared/subject.ts";
import { lacking } from "../../../shared/sweep.ts";

/**
 * What kubectl's `-l` takes: `key`, `!key`, `key=value`, `key!=value`, `key in (a,b)`, `key notin (a,b)`, joined by
 * commas.
 */
const labelSelector = (() => {
  const key = "[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?";
  const value = "([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?";
  const set = `\\s+(in|notin)\\s*\\(\\s*${value}(\\s*,\\s*${value})*\\s*\\)`;
  const requirement = `\\s*(!\\s*${key}|${key}(\\s*(=|==|!=)\\s*${value}|${set})?)\\s*`;
  return new RegExp(`^(${requirement}(,${requirement})*)?$`);
})();

const settings = z.object({
  finalizer: finalizerName.describe("The finalizer to add; the same as the one that `release` removes."),
  selector: z
    .string()
    .regex(labelSelector, "expected a label selector such as tier=gold,env in (prod,stage)")
    .default("")
    .describe(
      "A label selector, as kubectl takes it; claims that it does not match are left alone. Empty matches all.",
    ),
  excludedNamespaces: z
    .string()
    .default("")
    .transform((list) =>
      list
        .split(",")
        .map((name) => name.trim())
        .filter(Boolean),
    )
    .refine((names) => names.every((name) => namespaceName.safeParse(name).success), {
      error: "expected names of namespaces such as kube-system,monitoring",
    })
    .meta({ pattern: "^[-a-z0-9,\\s]*$" })
    .describe("Namespaces whose claims are left alone, separated by commas."),
  inTree: z
    .enum(["present", "absent"])
    .default("present")
    .describe(
      "`absent` where Kubernetes' own PVC protection is switched off: its finalizer is then added as well, " +
        "because kubelets look for it. `overruled` is for `release` alone: leave `present` here.",
    ),
});
type Settings = z.output<typeof settings>;

/** The claim as it is now, `undefined` when it is gone or not selected. Metadata alone. */
export type Facts = KubernetesObject | undefined;

export const protect = rule({
  name: "pvc-protection/protect",
  doc: "Puts the protection finalizer on every selected claim that is not being deleted.",
  settings,
  triggers: [on(PersistentVolumeClaim, ["update"]), on(PersistentVolumeClaim, ["add"], "claim-adds")],
  permissions: [
    {
      resource: PersistentVolumeClaim,
      verbs: ["list", "patch"],
      why: "to see whether the claim is selected and has the finalizer, and to add the finalizer",
      writes: { finalizers: [holdfastProtection, inTreeProtection] },
      finalizerSetting: "finalizer",
      bounds: [
        {
          on: ["patch"],
          says: "takes no finalizer off a claim",
          cel: "variables.finalizersBefore.all(e, e in variables.finalizers)",
        },
      ],
    },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the claim that its finalizer is refused, and to delete such an Event",
    },
  ],
  sweep: [lacking(PersistentVolumeClaim, holdfastProtection)],
  subjects,
  look: async ({ namespace, name }, { client, settings }): Promise<Facts> => {
    // The server evaluates the selector: one object at most.
    const claims = client.list(PersistentVolumeClaim, {
      ...(namespace ? { namespace } : {}),
      ...(settings.selector ? { labelSelector: settings.selector } : {}),
      fieldSelector: `metadata.name=${name}`,
      metadataOnly: true,
    });
    let found: Facts;
    // To the end of the list: one that is left in the middle takes its connection with it, and the patch would need a
    // new one.
    for await (const claim of claims) found ??= claim;
    return found;
  },
  decide,
});

function subjects({ kind, change, namespace, name, object }: Hint, settings: Settings): readonly Subject[] {
  if (kind !== "PersistentVolumeClaim" || change === "delete" || !namespace) return [];
  if (settings.excludedNamespaces.includes(namespace)) return [];
  if (object && (isBeingDeleted(object) || missing(object, settings).length === 0)) return [];
  return [{ kind: PersistentVolumeClaim, namespace, name }];
}

function decide(claim: Facts, _now: number, settings: Settings): readonly Decision[] {
  if (!claim) return [];
  const { leave, write } = about(PersistentVolumeClaim, claim);
  const { name } = claim.metadata;
  if (isBeingDeleted(claim))
    return [leave(`Claim ${name} is being deleted; Kubernetes takes no new finalizers on it.`)];
  const finalizers = missing(claim, settings);
  if (finalizers.length === 0) return [leave(`Claim ${name} carries ${settings.finalizer} already.`)];
  const message = `Claim ${name} gets ${finalizers.join(" and ")}, so that its deletion waits for pods that use it.`;
  return [write(message, [addFinalizers(PersistentVolumeClaim, claim, finalizers)])];
}

/** With only ours on a claim, a kubelet that restarts would unmount the volumes of running pods. */
function missing(claim: KubernetesObject, { finalizer, inTree }: Settings): readonly string[] {
  const wanted = inTree === "absent" ? [...new Set([inTreeProtection, finalizer])] : [finalizer];
  return wanted.filter((name) => !hasFinalizer(claim, name));
}
