import type { Finding } from "../output/finding.ts";

/** Something that was looked at before an installation. */
export interface Check {
  /** What was found, as a whole sentence. */
  readonly what: string;
  /** Why it matters; absent where all is well. */
  readonly why?: string;
  /** What to do; absent where all is well. */
  readonly todo?: string;
  /** It is worth knowing, and keeps nothing from working. */
  readonly isNote?: true;
}

/** The check as a finding; nothing where all is well or it is only a note. */
export const findingOf = ({ what, why, todo, isNote }: Check): readonly Finding[] =>
  todo === undefined || isNote ? [] : [{ what: [what, why].filter(Boolean).join(" "), todo }];
