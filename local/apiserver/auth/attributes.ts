/** What somebody wants to do, as roles allow it. */
export interface Attributes {
  readonly verb: string;
  readonly group: string;
  /** Plural, with the subresource after a slash. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}
