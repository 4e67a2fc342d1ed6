import type { Kind } from "../../shared/kubernetes/kind.ts";
import { Namespace } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { progressNameOf, type Rule, slug } from "../../shared/rule.ts";
import { type AskedRule, type Asking, judge } from "../rules/judge.ts";
import { aboutFinalizer } from "./finalizers.ts";
import { type Content, contentOf } from "./namespace-content.ts";
import { type Word, wordOf, wordWritten } from "./word.ts";

/** A finalizer on the object. */
interface Hold {
  readonly finalizer: string;
  /** Who removes it. */
  readonly owner: string;
  /** What would let it go, in sentences. */
  readonly until: string;
}

/** Who holds an object and why, and what would let it go. */
export interface Explanation {
  /** `PersistentVolumeClaim shop/data`. */
  readonly object: string;
  readonly uid: string;
  /** RFC 3339; absent where nothing has asked for the object to be deleted. */
  readonly deletedSince?: string;
  readonly holds: readonly Hold[];
  /** What rules say of it, and of what belongs to it. */
  readonly words: readonly Word[];
  /** Of a namespace that is being deleted: what is left in it. */
  readonly content?: Content;
  /** A person must act. */
  readonly isStuck: boolean;
  /** What could not be told for want of a right or of an answer of the cluster, in sentences. */
  readonly gaps: readonly string[];
}

/** Rules that are installed, and all that there are: what the others hold, nobody lets go. */
export interface Rules {
  readonly installed: readonly AskedRule[];
  readonly all: readonly Rule[];
}

/**
 * Asks every rule about an object, live, and says what is written down on it.
 *
 * @throws ApiError
 */
export async function explain(
  kind: Kind,
  object: KubernetesObject,
  rules: Rules,
  asking: Asking,
): Promise<Explanation> {
  const asked = await Promise.all(
    rules.installed.map(async (one) => ({ ...one, judgement: await judge(one, kind, object, asking) })),
  );
  const now = asking.clock.now();
  const words: Word[] = [];
  const gaps: string[] = [];
  for (const { rule, judgement } of asked) {
    if ("decisions" in judgement) {
      words.push(...judgement.decisions.flatMap((decision) => wordOf(judgement.rule, decision, now) ?? []));
    } else {
      const word = wordWritten(rule, object, judgement.unknown);
      if (word) words.push(word);
      if (judgement.because !== "system") gaps.push(`${rule.name} could not look: ${judgement.unknown}`);
    }
  }
  words.push(...unsaid(rules, words, object));
  const untilOf = async (kind: Kind, one: KubernetesObject) =>
    (await explain(kind, one, rules, asking)).holds.map(({ finalizer, until }) => `${finalizer}: ${until}`);
  const hangs = kind.kind === Namespace.kind && object.metadata.deletionTimestamp !== undefined;
  const content = hangs ? await contentOf(object, asking.client, untilOf) : undefined;
  const holds = finalizersOf(object).map((finalizer) => holdBy(finalizer, kind, rules, words));
  return {
    object: describe(referenceTo(object)),
    uid: object.metadata.uid,
    ...(object.metadata.deletionTimestamp ? { deletedSince: object.metadata.deletionTimestamp } : {}),
    holds,
    words,
    ...(content ? { content } : {}),
    isStuck:
      words.some(({ isStuck }) => isStuck) ||
      (object.metadata.deletionTimestamp !== undefined && holds.some(({ owner }) => owner === absent)),
    gaps: [...gaps, ...(content?.gaps ?? [])],
  };
}

/** What is written down on the object although no rule says anything of it now; rules may share what they write. */
function unsaid({ installed, all }: Rules, words: readonly Word[], object: KubernetesObject): readonly Word[] {
  const title = describe(referenceTo(object));
  return [...Map.groupBy(all, progressNameOf).values()].flatMap((sharing): Word[] => {
    const [first] = sharing;
    const names = sharing.map(({ name }) => name);
    const isSaid = words.some(({ rule, about, written }) => written && about === title && names.includes(rule));
    const word = first && !isSaid ? wordWritten(first, object) : undefined;
    if (!word) return [];
    const isInstalled = installed.some(({ rule }) => names.includes(rule.name));
    return isInstalled ? [word] : [{ ...word, unknown: `The function ${slug(word.rule)} is not installed.` }];
  });
}

const absent = "Holdfast, and the function for it is not installed";

/** A namespace has finalizers of its own besides. */
function finalizersOf({ metadata, spec }: KubernetesObject & { spec?: { finalizers?: readonly string[] } }) {
  return [...(metadata.finalizers ?? []), ...(spec?.finalizers ?? [])];
}

function holdBy(finalizer: string, kind: Kind, { installed, all }: Rules, words: readonly Word[]): Hold {
  const removing = (rules: readonly Rule[], more: readonly string[] = []) =>
    rules.filter(({ finalizers = [] }) =>
      finalizers.some((own) => own.kind.kind === kind.kind && [own.finalizer, ...more].includes(finalizer)),
    );
  const own = installed.flatMap(({ rule, environment }) =>
    removing([rule], environment.FINALIZER ? [environment.FINALIZER] : []),
  );
  const known = aboutFinalizer(finalizer);
  if (own.length > 0) {
    const names = own.map(({ name }) => name);
    const said = words.filter(({ rule, message }) => message !== undefined && names.includes(rule));
    const until = said.map(({ message }) => message).join(" ");
    return { finalizer, owner: names.join(", "), until: until || own.map(({ doc }) => doc).join(" ") };
  }
  if (removing(all).length === 0) return { ...known, finalizer };
  const functions = removing(all).map(({ name }) => slug(name));
  return {
    finalizer,
    owner: absent,
    until: `Only ${functions.join(", ")} removes it: install it again, or run holdfast uninstall.`,
  };
}
