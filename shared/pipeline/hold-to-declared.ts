import { isDeepStrictEqual } from "node:util";
import type { DeclaredWrites } from "../declared-writes.ts";
import { groupOf, type Kind } from "../kubernetes/kind.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
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

/**
 * `about`: the object that was read before.
 *
 * @throws Error where a write patches what the rule may patch, or creates, and more of it than the rule has declared.
 */
export function holdToDeclared(rule: Declaring, write: Write, about: KubernetesObject): void {
  if (write.verb === "delete") return;
  const of = write.verb === "patch" ? write.options?.subresource : undefined;
  const declared = (rule.permissions ?? []).flatMap(({ resource, subresource, verbs, writes }) =>
    writes && subresource === of && verbs.includes(write.verb) && isSame(resource, write.kind) ? [writes] : [],
  );
  if (declared.length === 0) return;
  const written = write.verb === "patch" ? writesOf(write.type, write.patch) : metadataOf(write.object);
  const [other] = undeclared(written, of ? declared : [...declared, progressWrites(rule)]).filter(
    ({ of, name }) => of !== "conditions" || !isUnchanged(name, write, about),
  );
  if (!other) return;
  const what = `${other.of} ${other.name} of ${write.kind.kind}`;
  throw new Error(`${rule.name} does not declare that it writes ${what}: say so in the writes of its permissions.`);
}

const metadataOf = ({ metadata }: KubernetesObject) => writesOf("merge", { metadata });

/** A list of conditions is written as a whole. */
function isUnchanged(type: string, write: Write, about: KubernetesObject): boolean {
  const [before, after] = [about, write.verb === "patch" && write.patch].map((object) => {
    const { conditions = [] } = ((object || {}) as Shown).status ?? {};
    return conditions.find((one) => one.type === type);
  });
  return isDeepStrictEqual(before, after);
}

interface Shown {
  readonly status?: { readonly conditions?: readonly { readonly type: string }[] };
}

/** In any version. */
const isSame = (one: Kind, other: Kind) => one.plural === other.plural && groupOf(one) === groupOf(other);
