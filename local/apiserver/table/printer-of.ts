import type { Column } from "../../../shared/kubernetes/custom-kind.ts";
import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt } from "../kinds/fields.ts";
import { ageOf } from "./age.ts";
import { jsonPath } from "./json-path.ts";

/** A printer column whose cell is computed, where no JSON path leads to it. */
export type ComputedColumn = Omit<Column, "jsonPath"> & { readonly cell: (object: Fields) => unknown };

const nameColumn = { name: "Name", type: "string", format: "name", description: "", priority: 0 };
const age: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/**
 * The name of an object and these columns of it, or its age when there are none. A kind whose names mean
 * nothing to people, such as Event, shows them with `-o wide` alone.
 */
export function printerOf(columns: readonly (Column | ComputedColumn)[] = [], hasName = true) {
  const shown = (columns.length > 0 ? columns : [age]).map((column) => ({
    column,
    find: "cell" in column ? (object: Fields) => [column.cell(object)] : jsonPath(column.jsonPath),
  }));
  return {
    columns: [
      { ...nameColumn, priority: hasName ? 0 : 1 },
      ...shown.map(({ column: { name, type, description = "", priority = 0 } }) => ({
        name,
        type,
        format: "",
        description,
        priority,
      })),
    ],
    /** The cells of one object, one for each column. `now` is in milliseconds since the epoch. */
    cells: (object: Fields, now: number): unknown[] => [
      fieldsAt(object, "metadata").name,
      ...shown.map(({ column, find }) => cell(find(object)[0], column.type, now)),
    ],
  };
}

function cell(value: unknown, type: string, now: number): unknown {
  if (value === undefined || value === null) return null;
  if (type === "date") return typeof value === "string" ? dateCell(value, now) : null;
  if (type === "string") return isFields(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
  if (type === "boolean") return typeof value === "boolean" ? value : null;
  if (typeof value !== "number") return null;
  return type === "integer" ? Math.trunc(value) : value;
}

function dateCell(value: string, now: number): string {
  return Number.isNaN(Date.parse(value)) ? "<invalid>" : ageOf(value, now);
}
