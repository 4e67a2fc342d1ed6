import type { Fields } from "../../../shared/kubernetes/fields.ts";

/** A column of a server-side Table. */
export interface Column {
  readonly name: string;
  readonly type: string;
  /** `name` marks what identifies the row. */
  readonly format: string;
  readonly description: string;
  /** 0: always shown; 1: with `-o wide`. */
  readonly priority: number;
}

/** How objects of a kind become rows. */
export interface Printer {
  readonly columns: readonly Column[];
  /** The cells of one object, one for each column. `now` is in milliseconds since the epoch. */
  cells(object: Fields, now: number): unknown[];
}
