import { isOfAnotherStep } from "../../shared/chain/chain-rule.ts";
import type { Decision } from "../../shared/decision.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { Namespace } from "../../shared/kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { progressKey } from "../../shared/progress.ts";
import { progressNameOf, type Rule, slug } from "../../shared/rule.ts";
import { keyOf, type ObjectSubject } from "../../shared/subject.ts";
import { readOrNote } from "../cluster/read-or-note.ts";
import { type AskedRule, type Asking, type Judgement, judge } from "../rules/judge.ts";
import { aboutFinalizer } from "./finalizers.ts";
import { type Content, contentOf } from "./namespace-content.ts";
import { type Word, waitsForNothing, withRefusals, wordOf, wordWritten } from "./word.ts";

/** A finalizer on the object, or a hook by which a Machine waits before it is deleted. */
interface Hold {
  readonly finalizer: string;
  /** It is a hook: an annotation of Cluster API. */
  readonly isHook?: true;
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
  /** The address of its page in the web console, where the user has named one. */
  readonly page?: string;
  /** RFC 3339; absent where nothing has asked for the object to be deleted. */
  readonly deletedSince?: string;
  readonly holds: readonly Hold[];
  /** What rules say of it, and of what belongs to it. */
  readonly words: readonly Word[];
  /** So many objects that rules look at for this one are not explained. */
  readonly unexplained: number;
  /** Of a namespace that is being deleted: what is left in it. */
  readonly content?: Content;
  /** A person must act. */
  readonly isStuck: boolean;
  /** What is not known, because a right or an answer of the cluster is missing, in sentences. */
  readonly gaps: readonly string[];
}

/** Rules that are installed, and all that there are: what the others hold stays held. */
export interface Rules {
  readonly installed: readonly AskedRule[];
  readonly all: readonly Rule[];
  /** Where they are installed. */
  readonly installNamespace?: string;
}

/**
 * Asks every rule about an object, live, and says what is written down on it. Of a namespace that is being deleted it
 * explains the first objects in it, or `all`.
 *
 * @throws ApiError
 */
export async function explain(
  kind: Kind,
  object: KubernetesObject,
  rules: Rules,
  asking: Asking,
  all = false,
): Promise<Explanation> {
  const asked = await askAll(kind, object, rules, asking);
  const { words: own, gaps } = wordsOf(asked, object, asking.clock.now(), rules);
  const words = await withRefusals(own, object, asking.client, gaps);
  const others = subjectsBehind(asked);
  for (const other of await othersBehind(others.slice(0, mostOthers), asked, asking, gaps)) {
    const { words: more, gaps: moreGaps } = wordsOf(
      await askAll(other.kind, other.object, rules, asking),
      other.object,
      asking.clock.now(),
      rules,
    );
    words.push(...more.filter((one) => !words.some(({ rule, about }) => rule === one.rule && about === one.about)));
    gaps.push(...moreGaps.filter((gap) => !gaps.includes(gap)));
  }
  words.push(...unsaid(rules, words, object));
  const untilOf = async (kind: Kind, one: KubernetesObject) => {
    const { holds, isStuck, gaps } = await explain(kind, one, rules, asking);
    return { until: holds.map(({ finalizer, until }) => `${finalizer}: ${until}`), isStuck, gaps };
  };
  const hangs = kind.kind === Namespace.kind && object.metadata.deletionTimestamp !== undefined;
  const content = hangs ? await contentOf(object, asking.client, untilOf, all) : undefined;
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  const left = asked.flatMap(({ judgement }) =>
    isDeleted && "decisions" in judgement ? leftBy(judgement, object) : [],
  );
  const holds = [
    ...finalizersOf(object).map((finalizer) => holdBy(finalizer, kind, rules, [words, left])),
    ...hooksOf(object).map((hook) => hookBy(hook, kind, rules, [words, left])),
  ];
  return {
    object: describe(referenceTo(object)),
    uid: object.metadata.uid,
    ...(object.metadata.deletionTimestamp ? { deletedSince: object.metadata.deletionTimestamp } : {}),
    holds,
    words,
    unexplained: Math.max(0, others.length - mostOthers),
    ...(content ? { content } : {}),
    isStuck:
      [...words, ...(content?.held ?? [])].some(({ isStuck }) => isStuck) ||
      (isDeleted && holds.some(({ owner }) => owner === absent)),
    gaps: [...gaps, ...(content?.gaps ?? [])],
  };
}

interface Asked extends AskedRule {
  readonly judgement: Judgement;
}

const askAll = (
  kind: Kind,
  object: KubernetesObject,
  { installed }: Rules,
  asking: Asking,
): Promise<readonly Asked[]> =>
  Promise.all(installed.map(async (one) => ({ ...one, judgement: await judge(one, kind, object, asking) })));

/** What rules have said of an object, and what is not known. */
function wordsOf(asked: readonly Asked[], object: KubernetesObject, now: number, { installNamespace }: Rules) {
  const words: Word[] = [];
  const gaps: string[] = [];
  for (const { rule, judgement } of asked) {
    if ("decisions" in judgement) {
      words.push(...judgement.decisions.flatMap((one) => wordOf(judgement.rule, one, now, installNamespace) ?? []));
    } else {
      const word = wordWritten(rule, object, judgement.unknown);
      if (word) words.push(word);
      gaps.push(`${rule.name} could not look: ${judgement.unknown}`);
    }
  }
  return { words, gaps };
}

/** Of so many objects that another one waits for it says what they wait for. */
const mostOthers = 5;

/** The other objects that rules look at for an event about this one. */
function subjectsBehind(asked: readonly Asked[]): readonly ObjectSubject[] {
  const subjects = asked.flatMap(({ judgement }) => ("decisions" in judgement ? judgement.others : []));
  return [...new Map(subjects.map((subject) => [keyOf(subject), subject])).values()];
}

/**
 * Those on which something is written down: a Machine waits for the satellite of its Node, whichever rule has its turn
 * there.
 */
async function othersBehind(
  others: readonly ObjectSubject[],
  asked: readonly Asked[],
  { client }: Asking,
  gaps: string[],
) {
  const objects = await Promise.all(
    others.map(async ({ kind, namespace, name }) => {
      const what = `${kind.kind} ${name}`;
      const object = await readOrNote(gaps, what, () => client.get<KubernetesObject>(kind, namespace, name));
      return object ? [{ kind, object: { ...object, apiVersion: kind.apiVersion, kind: kind.kind } }] : [];
    }),
  );
  const keys = asked.flatMap(({ rule }) => [progressKey(progressNameOf(rule)), progressKey(`${rule.name}/away`)]);
  return objects.flat().filter(({ object }) => keys.some((key) => object.metadata.annotations?.[key]));
}

/** What is written down on the object although no rule says anything of it now; rules may share what they write. */
function unsaid({ installed, all }: Rules, words: readonly Word[], object: KubernetesObject): readonly Word[] {
  const title = describe(referenceTo(object));
  return [...Map.groupBy(all, progressNameOf).values()].flatMap((sharing): Word[] => {
    const [first] = sharing;
    const names = sharing.map(({ name }) => name);
    const isSaid = words.some(({ rule, about }) => about === title && names.includes(rule));
    const word = first && !isSaid ? wordWritten(first, object) : undefined;
    if (!word || !first) return [];
    const isInstalled = installed.some(({ rule }) => names.includes(rule.name));
    if (!isInstalled) return [{ ...word, unknown: `The function ${slug(word.rule)} is not installed.` }];
    return [waitsForNothing(word, first)];
  });
}

const absent = "Holdfast, and the function for it is not installed";

/** A namespace has finalizers of its own besides. */
function finalizersOf({ metadata, spec }: KubernetesObject & { spec?: { finalizers?: readonly string[] } }) {
  return [...(metadata.finalizers ?? []), ...(spec?.finalizers ?? [])];
}

/** The hooks by which a Machine of Cluster API waits before its Node is drained, and before its server goes. */
function hooksOf({ kind, metadata: { annotations = {} } }: KubernetesObject) {
  const isHook = (key: string) => /^pre-(drain|terminate)\.delete\.hook\.machine\.cluster\.x-k8s\.io\//.test(key);
  return kind === "Machine" ? Object.entries(annotations).filter(([key]) => isHook(key)) : [];
}

function hookBy(
  [finalizer, owner]: readonly [key: string, owner: string],
  kind: Kind,
  { installed }: Rules,
  [words, left]: Said,
): Hold {
  const writes = ({ permissions }: Rule) =>
    permissions.some(
      ({ resource, writes }) => resource.kind === kind.kind && (writes?.annotations ?? []).includes(finalizer),
    );
  const own = installed.map(({ rule }) => rule).filter(writes);
  if (own.length > 0) {
    const systems = new Set(own.map(({ name }) => systemOf(name)));
    return { finalizer, isHook: true, owner: [...systems].join(", "), until: untilBy(own, words, left).join(" ") };
  }
  const until = "It leaves when that has done its work: only its controller knows what it still has to do.";
  return { finalizer, isHook: true, owner: owner || "a controller that Holdfast does not know", until };
}

/** What rules say, and why others leave the object as it is. */
type Said = readonly [words: readonly Word[], left: readonly Left[]];

/** Why a rule leaves an object as it is. */
interface Left {
  readonly rule: string;
  readonly message: string;
}

function leftBy(
  { decisions, rule: { name } }: Extract<Judgement, { decisions: unknown }>,
  { metadata }: KubernetesObject,
): readonly Left[] {
  const isWhy = (one: Decision) => one.do === "leave" && !isOfAnotherStep(one.message);
  const own = decisions.filter((one) => isWhy(one) && one.about.metadata.uid === metadata.uid);
  return own.map(({ message }) => ({ rule: name, message }));
}

function holdBy(finalizer: string, kind: Kind, { installed, all }: Rules, [words, left]: Said): Hold {
  const removing = (rules: readonly Rule[], more: readonly string[] = []) =>
    rules.filter(({ finalizers = [] }) =>
      finalizers.some((own) => own.kind.kind === kind.kind && [own.finalizer, ...more].includes(finalizer)),
    );
  const own = installed.flatMap(({ rule, environment }) =>
    removing([rule], environment.FINALIZER ? [environment.FINALIZER] : []),
  );
  const known = aboutFinalizer(finalizer);
  if (own.length > 0) {
    const owner = own.map(({ name }) => name).join(", ");
    return { finalizer, owner, until: untilBy(own, words, left).join(" ") };
  }
  if (removing(all).length === 0) return { ...known, finalizer };
  const functions = removing(all).map(({ name }) => slug(name));
  return {
    finalizer,
    owner: absent,
    until: `Only ${functions.join(", ")} removes it: install it again, or run \`holdfast uninstall\`.`,
  };
}

/**
 * What the rules that remove a finalizer say. Where they say nothing, because another rule of their system comes first,
 * what that one says; then why they leave the object as it is.
 */
function untilBy(own: readonly Rule[], words: readonly Word[], left: readonly Left[]): readonly string[] {
  const names = own.map(({ name }) => name);
  const systems = names.map(systemOf);
  const saidBy = (isMeant: (rule: string) => boolean) =>
    words.filter(({ rule }) => isMeant(rule)).flatMap(({ message, written }) => message ?? written?.because ?? []);
  const sources = [
    saidBy((rule) => names.includes(rule)),
    saidBy((rule) => systems.includes(systemOf(rule))),
    left.filter(({ rule }) => systems.includes(systemOf(rule))).map(({ message }) => message),
  ];
  return [...new Set(sources.find((sentences) => sentences.length > 0) ?? own.map(({ doc }) => doc))];
}

const systemOf = (rule: string) => rule.split("/")[0];
