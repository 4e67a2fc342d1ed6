import { StatusError } from "../status-error.ts";
import { byElements, type FieldSet, pathText } from "./field-set.ts";
import type { Manager } from "./managers.ts";

/** Fields that an apply without force would take from another manager. */
export interface Claim {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** The 409 that lists who owns what the applied configuration wants to change. */
export function conflict(claims: readonly Claim[]): StatusError {
  const fields = claims.flatMap(({ manager, fields }) =>
    [...fields].sort(byElements).map((path) => ({ holder: describe(manager), field: pathText(path) })),
  );
  const causes = fields.map(({ holder, field }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${holder}`,
    field,
  }));
  const count = `${fields.length} conflict${fields.length === 1 ? "" : "s"}`;
  return new StatusError(409, "Conflict", `Apply failed with ${count}: ${listing(fields)}`, { causes });
}

function listing(fields: { holder: string; field: string }[]): string {
  const [only] = fields;
  if (only && fields.length === 1) return `conflict with ${only.holder}: ${only.field}`;
  return [...Map.groupBy(fields, ({ holder }) => holder)]
    .map(([holder, held]) => `conflicts with ${holder}:\n${held.map(({ field }) => `- ${field}`).join("\n")}`)
    .join("\n");
}

function describe({ name, operation, apiVersion, subresource }: Manager): string {
  const part = subresource ? ` with subresource ${JSON.stringify(subresource)}` : "";
  return `${JSON.stringify(name)}${part}${operation === "Apply" ? "" : ` using ${apiVersion}`}`;
}
