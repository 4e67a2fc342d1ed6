import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { specOf } from "../kinds/fields.ts";

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

/** A column that is always shown. */
export const column = (name: string, type = "string"): Column => ({
  name,
  type,
  format: "",
  description: "",
  priority: 0,
});

/** A column that is shown with `-o wide`. */
export const wide = (name: string): Column => ({ ...column(name), priority: 1 });

/** The column of the object's name. */
export const nameColumn: Column = { ...column("Name"), format: "name" };

/** A value as text; empty when there is none. */
export const text = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

/** A value as text, or `<none>`. */
export const orNone = (value: unknown): string => text(value) || "<none>";

/** A number, 0 when there is none. */
export const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** `a=1,b=2` by key, or `<none>`. */
export function labelsText(labels: Fields): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return orNone(pairs.map(([key, value]) => `${key}=${value}`).join(","));
}

/** Names and images of the containers of a pod template, each joined by commas. */
export function containersOf(template: Fields): [names: string, images: string] {
  const { containers } = specOf(template);
  const list: Fields[] = Array.isArray(containers) ? containers : [];
  return [list.map(({ name }) => text(name)).join(","), list.map(({ image }) => text(image)).join(",")];
}
