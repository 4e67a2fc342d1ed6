import type { Decision } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { SetAndClaims } from "../../../shared/retention/look-at-set.ts";
import { deleteTime } from "../../../shared/retention/mark.ts";
import { originOf } from "../../../shared/retention/template-claims.ts";
import { judge, stands } from "./decide.ts";
import type { MarkedClaim } from "./look.ts";
import { postpone, remove, save, settle, tellUnreadable, withdraw } from "./steps.ts";

/** Deletes a marked claim when its time has come and all still says so; until then keeps its mark right. */
export function decideOfClaim(facts: MarkedClaim, now: number): readonly Decision[] {
  if (isBeingDeleted(facts.claim)) return [];
  const decision = facts.of ? withSet(facts, facts.of, now) : withoutSet(facts, now);
  return decision ? [decision] : [];
}

function withSet({ claim, mark, user }: MarkedClaim, of: SetAndClaims, now: number): Decision | undefined {
  const one = of.claims.find((one) => one.claim.metadata.uid === claim.metadata.uid);
  if (!one)
    return originOf(of.set, claim)
      ? undefined
      : withdraw(claim, `the templates of StatefulSet ${mark.set} do not yield its name any more`);
  // The pods were read after the claim as it was first.
  const isSame = one.claim.metadata.resourceVersion === claim.metadata.resourceVersion;
  // Until a set is gone its claims may still be left to themselves (`--cascade=orphan`), which only bequeath can tell.
  const mayGo = isSame && stands(of, one, mark) && !isBeingDeleted(of.set);
  const last = mayGo ? whenDue(claim, user, now) : undefined;
  return last ?? judge(of, one, now);
}

/** The set went, and its claims were to go with it a while later. */
function withoutSet({ claim, mark, user, heirs }: MarkedClaim, now: number): Decision | undefined {
  // It has come back between two reads, and sees to the claim itself.
  if (heirs.some(({ metadata }) => metadata.name === mark.set)) return undefined;
  const due = deleteTime(claim);
  if (mark.step === "saved" && due === undefined) return undefined;
  const [heir] = heirs;
  if (heir) return withdraw(claim, `the templates of StatefulSet ${heir.metadata.name} yield its name`);
  const owner = claim.metadata.ownerReferences?.find(({ uid }) => uid !== mark.setUid);
  if (owner) return withdraw(claim, `${owner.kind} ${owner.name} owns it`);
  if (mark.cause !== "set-deleted")
    return withdraw(claim, `StatefulSet ${mark.set} is gone, and nothing shows that its claims were to go with it`);
  if (due === undefined) return save(claim, mark);
  if (Number.isNaN(due)) return tellUnreadable(claim, mark);
  const last = mark.step === "marked" ? whenDue(claim, user, now) : undefined;
  return last ?? settle(claim, mark, due);
}

/** The last step, if the time on the claim has come. */
function whenDue(claim: KubernetesObject, user: string | undefined, now: number): Decision | undefined {
  const due = deleteTime(claim);
  if (due === undefined || !(due <= now)) return undefined;
  return user === undefined ? remove(claim) : postpone(claim, user);
}
