import * as z from "zod";
import { about } from "../../../shared/about.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { ApiError, isExpired } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { Event, PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { lookAtEach, wholeOr } from "../../../shared/look-at-each.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on, rule } from "../../../shared/rule.ts";
import { normal, silent, warning } from "../../../shared/steps.ts";
import { claimsOf, isBound, isTerminated, type UseMode, unreadOf, uses } from "../../../shared/storage/pod-claims.ts";
import { finalizerName, holdfastProtection, inTreeProtection } from "../../../shared/storage/protection.ts";
import type { ScopeSubject } from "../../../shared/subject.ts";
import { whileDeleting } from "../../../shared/sweep.ts";

const name = "pvc-protection/release";

const settings = z.object({
  mode: z
    .enum(["strict", "document"])
    .default("strict")
    .describe(
      "Which pods use a claim: `strict`, every bound pod until its object is gone; `document`, " +
        "none that has terminated.",
    ),
  finalizer: finalizerName.describe("The finalizer to release; the same as the one that `protect` adds."),
  inTree: z
    .enum(["present", "overruled", "absent"])
    .default("present")
    .describe(
      "What becomes of Kubernetes' own protection: `present`, its controller releases first; `overruled`, " +
        "it runs, but on claims " +
        "with Holdfast's finalizer this rule decides; `absent`, it is switched off, " +
        "and this rule replaces it on all claims.",
    ),
});
type Settings = z.output<typeof settings>;

/** A pod that uses a claim, and the node it is bound to. */
export interface User {
  readonly pod: string;
  readonly node: string;
}

/** The claims of one namespace that wait for us, and who was seen to use them. */
export interface Facts {
  readonly claims: readonly KubernetesObject[];
  /**
   * By claim name: at least one user of every claim that has any. The list of pods was begun after the claims were
   * read.
   */
  readonly users: ReadonlyMap<string, readonly User[]>;
}

/** More pods than this are not named on a claim. */
const shownUsers = 5;
/** So many claims are read one by one before a list of the namespace is cheaper. */
const fewClaims = 10;
/** The in-tree controller answers within moments; a claim that waits longer for it is stuck, and says so. */
const inTreePatience = 60_000;

export const release = rule({
  name,
  doc: "Releases a claim that is being deleted when no pod uses it, and says on the claim who holds it until then.",
  settings,
  triggers: [on(PersistentVolumeClaim, ["update"]), on(Pod, ["delete"]), on(Pod, ["update"], "pod-updates")],
  permissions: [
    {
      resource: PersistentVolumeClaim,
      verbs: ["get", "list", "patch"],
      why: "to find claims that are being deleted, and to remove the finalizer when no pod uses them",
      writes: { finalizers: [holdfastProtection, inTreeProtection] },
      finalizerSetting: "finalizer",
      bounds: [
        {
          on: ["patch"],
          says: "takes finalizers off only those claims that are being deleted",
          cel:
            "oldObject.metadata.?deletionTimestamp.hasValue() || " +
            "variables.finalizersBefore.all(e, e in variables.finalizers)",
        },
      ],
    },
    { resource: Pod, verbs: ["list"], why: "to see which pods still use the claim" },
    {
      resource: Event,
      verbs: ["create", "get", "delete"],
      why: "to record on the claim which pods hold it, and to delete that Event when none does",
    },
  ],
  sweep: [
    whileDeleting(PersistentVolumeClaim, holdfastProtection),
    whileDeleting(PersistentVolumeClaim, inTreeProtection),
  ],
  finalizers: [{ kind: PersistentVolumeClaim, finalizer: holdfastProtection }],
  steps: {
    held: normal("DeletionPostponed"),
    "after-in-tree": silent,
    "in-tree-silent": warning("InTreeProtectionSilent"),
  },
  // Requests of one namespace share their runs: the more of them are let in, the fewer lists of pods there are. This is
  // as many as Knative allows by default.
  concurrency: 1000,
  subjects,
  look: async ({ namespace, members }, { client, settings }) => look(client, namespace, members, settings),
  decide,
});

/** One subject per namespace, so that all its claims are judged by one list of pods. */
function subjects({ kind, change, namespace, name, object }: Hint, settings: Settings): readonly ScopeSubject[] {
  if (!namespace) return [];
  const inNamespace = { kind: PersistentVolumeClaim, namespace };
  if (kind === "PersistentVolumeClaim") {
    const waits = !object || isWaiting(object, settings);
    return change !== "delete" && waits ? [{ ...inNamespace, members: [name] }] : [];
  }
  if (kind !== "Pod" || change === "add") return [];
  if (!object) return [inNamespace];
  // A pod that goes on running changes no verdict. This is what keeps heartbeats from costing a single call.
  if (change === "update" && isBound(object) && !isTerminated(object)) return [];
  const members = claimsOf(object).map(({ claim }) => claim);
  return members.length > 0 ? [{ ...inNamespace, members }] : [];
}

/**
 * Whether a claim being deleted waits for us. Where Kubernetes' own controller is off, its finalizer waits as well,
 * even alone: the admission plugin puts it on every claim, also on those that protect leaves alone or has not seen yet.
 */
function isWaiting(claim: KubernetesObject, { finalizer, inTree }: Settings): boolean {
  if (!isBeingDeleted(claim)) return false;
  return hasFinalizer(claim, finalizer) || (inTree === "absent" && hasFinalizer(claim, inTreeProtection));
}

async function look(
  client: Client,
  namespace: string | undefined,
  members: readonly string[] | undefined,
  settings: Settings,
): Promise<Facts> {
  const none = { claims: [], users: new Map() };
  const scope = namespace ? { namespace } : {};

  // Pods come and go all day; usually their claims stay, and a few small reads show it.
  const named =
    members && members.length <= fewClaims
      ? await lookAtEach(
          members,
          (claim) => ({ kind: PersistentVolumeClaim, name: claim, ...scope }),
          (claim) => client.get(PersistentVolumeClaim, namespace, claim, { metadataOnly: true }),
        )
      : undefined;
  const asked = named?.looked.flatMap((claim) => (claim && isWaiting(claim, settings) ? [claim] : [])) ?? [];
  if (named && asked.length === 0) return wholeOr(none, named.failures);
  // A claim that cannot be read by itself may be in the list. If it keeps the list from being read as well, those that
  // were asked for and could be read are judged without it.
  const { claims, failures } = await listWaiting(client, scope, settings).then(
    (claims) => ({ claims, failures: [] }),
    (error) => {
      if (!named || !(error instanceof ApiError) || isExpired(error)) throw error;
      return { claims: asked, failures: named.failures };
    },
  );
  if (claims.length === 0) return none;
  // The order is what closes the race with a pod that is bound late: a claim seen above without the in-tree finalizer
  // is refused by every kubelet from then on, so a pod that got in before is in this list.
  return wholeOr({ claims, users: await findUsers(client, scope, claims, settings) }, failures);
}

/** Of the claims, page by page, those that wait for us. */
async function listWaiting(
  client: Client,
  scope: { namespace?: string },
  settings: Settings,
): Promise<readonly KubernetesObject[]> {
  const claims: KubernetesObject[] = [];
  const all = { ...scope, metadataOnly: true, leaveOut: ["metadata.managedFields"] };
  for await (const claim of client.list(PersistentVolumeClaim, all)) if (isWaiting(claim, settings)) claims.push(claim);
  return claims;
}

/** Lists bound pods, page by page, until every claim has a user or the list ends. */
async function findUsers(
  client: Client,
  scope: { namespace?: string },
  claims: readonly KubernetesObject[],
  { finalizer, mode }: Settings,
): Promise<Map<string, User[]>> {
  // A claim without our finalizer never was in our care: for it counts what Kubernetes would have done.
  const modeOf = (claim: KubernetesObject): UseMode => (hasFinalizer(claim, finalizer) ? mode : "strict");
  const byName = new Map(claims.map((claim) => [claim.metadata.name, claim]));
  const users = new Map<string, User[]>();
  const bound = { ...scope, fieldSelector: "spec.nodeName!=", leaveOut: unreadOf(mode) };
  for await (const pod of client.list(Pod, bound)) {
    for (const use of claimsOf(pod)) {
      const claim = byName.get(use.claim);
      if (!claim || !uses(pod, use, claim, modeOf(claim))) continue;
      const known = users.get(use.claim) ?? [];
      known.push({ pod: pod.metadata.name, node: (pod.spec as { nodeName: string }).nodeName });
      users.set(use.claim, known);
    }
    if (users.size === claims.length) break;
  }
  return users;
}

function decide({ claims, users }: Facts, now: number, settings: Settings): readonly Decision[] {
  return claims.map((claim) => decideClaim(claim, users.get(claim.metadata.name) ?? [], now, settings));
}

function decideClaim(claim: KubernetesObject, users: readonly User[], now: number, settings: Settings): Decision {
  const { wait, write } = about(PersistentVolumeClaim, claim);
  const title = `claim ${claim.metadata.name}`;
  if (users.length > 0) {
    const pods = users.slice(0, shownUsers);
    const more = users.length > shownUsers ? { more: users.length - shownUsers } : {};
    const message = `C${title.slice(1)} is kept, because ${inWords(users)} it; it goes when no pod uses it any more.`;
    return wait(message, { step: { name: "held", details: { pods, ...more } } });
  }
  if (settings.finalizer !== inTreeProtection && hasFinalizer(claim, inTreeProtection)) {
    if (settings.inTree === "present") return waitForInTree(claim, now, settings);
    const message = hasFinalizer(claim, settings.finalizer)
      ? `No pod uses ${title}; ${inTreeProtection} is removed first, so that no kubelet starts another.`
      : `No pod uses ${title}: ${inTreeProtection}, which it carries alone, is removed.`;
    return write(message, [removeFinalizer(PersistentVolumeClaim, claim, inTreeProtection)]);
  }
  const message = `No pod uses ${title} and none can start with it: ${settings.finalizer} is removed.`;
  return write(message, [removeFinalizer(PersistentVolumeClaim, claim, settings.finalizer)]);
}

/**
 * While the in-tree finalizer is there, a kubelet may still start a pod that was bound late; ours stays until it is
 * gone. That takes the in-tree controller moments, and the removal comes back as an event.
 */
function waitForInTree(claim: KubernetesObject, now: number, { mode }: Settings): Decision {
  const { wait } = about(PersistentVolumeClaim, claim);
  const since = Date.parse(claim.metadata.deletionTimestamp ?? "");
  if (!(now - since > inTreePatience)) {
    const message =
      `No pod uses claim ${claim.metadata.name}; it goes after Kubernetes has removed ` + `${inTreeProtection}.`;
    // The pods named before do not hold it any more; a claim of which nothing was said needs no word for a moment.
    return wait(message, readProgress(claim, name) ? { step: { name: "after-in-tree" } } : {});
  }
  const advice =
    mode === "document"
      ? "Its controller also counts pods that have terminated; set IN_TREE=overruled on the function to decide " +
        "without it."
      : "If Kubernetes' own PVC protection controller is switched off, set IN_TREE=absent on the function.";
  const message = `No pod uses claim ${claim.metadata.name}, but ${inTreeProtection} is still on it. ${advice}`;
  return wait(message, { step: { name: "in-tree-silent" } });
}

function inWords(users: readonly User[]): string {
  const named = users.slice(0, shownUsers).map(({ pod, node }) => `pod ${pod} on node ${node}`);
  const rest = users.length - named.length;
  if (rest > 0) named.push(`${rest} more`);
  const list = named.length > 1 ? `${named.slice(0, -1).join(", ")} and ${named.at(-1)}` : named[0];
  return `${list} ${users.length > 1 ? "use" : "uses"}`;
}
