import type { Finding } from "../output/finding.ts";

/** Something that was looked at before an installation, as whole sentences. */
export type Check = Sound | Found;

/** All is well. */
interface Sound {
  readonly what: string;
  readonly why?: never;
  readonly todo?: never;
  readonly isNote?: never;
}

interface Found {
  readonly what: string;
  /** Why it matters. */
  readonly why: string;
  readonly todo: string;
  /** It is worth knowing, and keeps nothing from working. */
  readonly isNote?: true;
}

/** The check as a finding; nothing where all is well or it is only a note. */
export const findingOf = ({ what, why, todo, isNote }: Check): readonly Finding[] =>
  todo === undefined || isNote ? [] : [{ what: `${what} ${why}`, todo }];
