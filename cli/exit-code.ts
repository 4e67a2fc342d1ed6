/** What every command ends with. */
export const exitCode = {
  /** It has been done, or the answer is good. */
  good: 0,
  /** The answer is there, and it is bad: a person must act. */
  bad: 1,
  /** It could not tell: no cluster, a wrong name, a missing right. */
  unknown: 2,
} as const;
