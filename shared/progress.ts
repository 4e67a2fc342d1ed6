import * as z from "zod";
import type { Step } from "./decision.ts";
import type { KubernetesObject } from "./kubernetes/object.ts";
import { sameJson } from "./same-json.ts";

/** Marks objects with a due time, so that the sweep can select them. */
export const waitingLabel = "holdfast.dev/waiting";

/** The longest progress annotation, in characters: all annotations of an object share 256 KiB. */
export const longestProgress = 1000;
/** A sentence cut shorter than this says nothing. */
const shortestSentence = 80;

/** Readers accept the version after theirs, so that a function can be rolled back in the middle of its work. */
const newestRead = 2;

const schema = z.looseObject({
  v: z.number().int().min(1).max(newestRead),
  uid: z.string(),
  step: z.string(),
  since: z.string(),
  next: z.string().optional(),
  attempt: z.number().optional(),
  because: z.string(),
});

/** What a rule wrote down about an object: where it stands, since when, and why. Times are RFC 3339. */
export type Progress = z.output<typeof schema>;

/** The annotation that holds a rule's progress: `holdfast.dev/<system>.<rule>`. */
export function progressKey(ruleName: string): string {
  return `holdfast.dev/${ruleName.replaceAll("/", ".")}`;
}

/**
 * Reads a rule's progress from an object. Absent, damaged, too long, of an unknown version, or written for another
 * incarnation (a copied or restored object keeps its annotations but not its uid): all count as no progress.
 */
export function readProgress(object: KubernetesObject, ruleName: string): Progress | undefined {
  const text = object.metadata.annotations?.[progressKey(ruleName)];
  if (text === undefined || text.length > 2 * longestProgress) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const progress = schema.safeParse(value);
  return progress.success && progress.data.uid === object.metadata.uid ? progress.data : undefined;
}

/**
 * Whether the rule has written down progress for this very object in a version that is too new to be read here. It
 * counts as none, and yet stands for something: a rule that acts upon its progress stops there.
 */
export function hasNewerProgress({ metadata }: KubernetesObject, ruleName: string): boolean {
  const text = metadata.annotations?.[progressKey(ruleName)];
  if (!text?.startsWith("{")) return false;
  try {
    const { v, uid } = JSON.parse(text) as { v?: unknown; uid?: unknown };
    return typeof v === "number" && v > newestRead && uid === metadata.uid;
  } catch {
    // Damaged: the rule that reads it begins again.
    return false;
  }
}

/**
 * The annotation's next value, or `undefined` when it already says so: our own writes come back as events, and an
 * unchanged object must stay unwritten. Another wording alone is no change. `now` and `next` are in milliseconds since
 * the epoch.
 */
export function nextProgress(
  object: KubernetesObject,
  ruleName: string,
  step: Step,
  message: string,
  now: number,
  next?: number,
): string | undefined {
  const before = readProgress(object, ruleName);
  const since = before?.step === step.name ? before.since : new Date(now).toISOString();
  const head = {
    v: 1,
    uid: object.metadata.uid,
    step: step.name,
    since,
    ...(next === undefined ? {} : { next: new Date(next).toISOString() }),
    ...(step.attempt === undefined ? {} : { attempt: step.attempt }),
  };
  const text = withinLimit(head, message, step.details ?? {});
  return before && says(before, JSON.parse(text)) ? undefined : text;
}

/**
 * Whether what is written down says the same, but for its order, its wording and its trace. What a newer version
 * wrote may say more: it stays as it is, or two versions side by side would rewrite each other for ever.
 */
function says({ trace: _trace, ...before }: Progress, now: Progress): boolean {
  if (before.v <= now.v) return sameJson({ ...before, because: "" }, { ...now, because: "" });
  const { v: _, because: __, ...known } = { next: undefined, attempt: undefined, ...now };
  return Object.entries(known).every(([field, value]) => sameJson(before[field], value));
}

/** The sentence gives way before the details do: they are what the next run and other tools read. */
function withinLimit(head: object, message: string, details: object): string {
  for (const kept of [details, {}]) {
    const room = longestProgress - JSON.stringify({ ...head, because: "", ...kept }).length;
    if (room >= shortestSentence || kept !== details)
      return JSON.stringify({ ...head, because: cut(message, room), ...kept });
  }
  return "";
}

/** Cuts a sentence so that its JSON form has at most `room` characters. */
function cut(sentence: string, room: number): string {
  let text = sentence;
  while (JSON.stringify(text).length - 2 > room) text = text.slice(0, Math.max(0, text.length - 16));
  return text === sentence ? text : `${text.slice(0, -1)}…`;
}

/**
 * The change of the waiting label that goes with a rule's next due time, `undefined` when it is right as it is. The
 * label is shared: it stays as long as any rule's progress on the object has a due time.
 */
export function labelFor(
  { metadata }: KubernetesObject,
  ruleName: string,
  next: number | undefined,
): Record<string, string | null> | undefined {
  const others = Object.entries(metadata.annotations ?? {}).some(
    ([key, text]) => key.startsWith("holdfast.dev/") && key !== progressKey(ruleName) && /^\{.*"next":/.test(text),
  );
  const wanted = next !== undefined || others;
  if (wanted === (metadata.labels?.[waitingLabel] === "true")) return undefined;
  return { [waitingLabel]: wanted ? "true" : null };
}
