/** What a name on an object means to an administrator, in whole sentences of Markdown. */
export interface NameMeaning {
  readonly means: string;
  /** What happens when a person changes or removes it. */
  readonly ifChanged: string;
}

/** What a condition says, and each of its statuses; a status that is never written is left out. */
export interface ConditionMeaning {
  readonly type: string;
  /** The kinds of the objects that have it. */
  readonly on: readonly string[];
  readonly says: string;
  /** By status; a condition of Yaook's has words of its own, which are all in one text. */
  readonly statuses: Readonly<Partial<Record<"True" | "False" | "Unknown", string>>> | string;
}

/**
 * What a system writes on objects beside the progress of its rules, in `functions/<system>/written-names.ts`: one entry
 * for each name that its rules declare among their writes, and for each condition.
 */
export interface WrittenNames {
  /** The system's folder under `functions/`. */
  readonly name: string;
  readonly annotations?: Readonly<Record<string, NameMeaning>>;
  readonly labels?: Readonly<Record<string, NameMeaning>>;
  readonly finalizers?: Readonly<Record<string, NameMeaning>>;
  readonly conditions?: readonly ConditionMeaning[];
}
