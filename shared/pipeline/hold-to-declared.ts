import type { DeclaredWrites } from "../declared-writes.ts";
import { groupOf, type Kind } from "../kubernetes/kind.ts";
import type { Write } from "../kubernetes/write.ts";
import { progressKey, waitingLabel } from "../progress.ts";
import { awayNameOf, progressNameOf, type Rule } from "../rule.ts";
import { undeclared, writesOf } from "../writes-of.ts";

/** What of a rule says what it may write. */
type Declaring = Pick<Rule, "name" | "progressName"> & Partial<Pick<Rule, "permissions">>;

/** What the kit writes of every object that a rule may patch: no rule declares it. */
export function progressWrites(rule: Omit<Declaring, "permissions">): DeclaredWrites {
  return { annotations: [progressNameOf(rule), awayNameOf(rule)].map(progressKey), labels: [waitingLabel] };
}

/** @throws Error where a write patches what the rule may patch, and more of it than the rule has declared. */
export function holdToDeclared(rule: Declaring, write: Write): void {
  if (write.verb !== "patch" || write.options?.subresource) return;
  const declared = (rule.permissions ?? []).flatMap(({ resource, subresource, verbs, writes }) =>
    writes && !subresource && verbs.includes("patch") && isSame(resource, write.kind) ? [writes] : [],
  );
  if (declared.length === 0) return;
  const [other] = undeclared(writesOf(write.type, write.patch), [...declared, progressWrites(rule)]);
  if (!other) return;
  const what = `${other.of} ${other.name} of ${write.kind.kind}`;
  throw new Error(`${rule.name} does not declare that it writes ${what}: say so in the writes of its permissions.`);
}

/** In any version. */
const isSame = (one: Kind, other: Kind) => one.plural === other.plural && groupOf(one) === groupOf(other);
