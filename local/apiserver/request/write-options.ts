import { invalidOptions } from "../failure.ts";
import {
  type Cause,
  forbiddenValue,
  requiredValue,
  tooLongValue,
  unsupportedValue,
} from "../validation/status-cause.ts";

const validations = ["", "Ignore", "Strict", "Warn"];

/** What a create, an update or a patch says of how it wants to be done. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** How unknown fields are treated; `Warn` when the client did not say. */
  readonly fieldValidation: "Ignore" | "Strict" | "Warn";
}

/**
 * Reads the query of a write. `kind` is what the API server calls the options, `CreateOptions` for example. Throws 422.
 */
export function writeOptions(query: URLSearchParams, kind: string): WriteOptions {
  const validation = query.get("fieldValidation") ?? "";
  const manager = query.get("fieldManager") ?? "";
  const causes: Cause[] = [];
  if (manager.length > 128) causes.push(tooLongValue("fieldManager", 128));
  if (!validations.includes(validation)) causes.push(unsupportedValue("fieldValidation", validation, validations));
  if (causes.length > 0) throw invalidOptions(kind, causes);
  return {
    dryRun: isDryRun(query.getAll("dryRun"), kind),
    fieldValidation: (validation || "Warn") as WriteOptions["fieldValidation"],
  };
}

/** Reads `dryRun`, of which `All` is the only kind. */
export function isDryRun(values: readonly string[], kind: string): boolean {
  const given = values.filter((value) => value !== "");
  if (given.some((value) => value !== "All")) {
    throw invalidOptions(kind, [unsupportedValue("dryRun", given, ["All"])]);
  }
  return given.length > 0;
}

/** Holds the options that only server-side apply has against the type of a patch. Throws 422. */
export function checkPatchOptions(query: URLSearchParams, apply: boolean): void {
  if (apply && !query.get("fieldManager")) {
    throw invalidOptions("PatchOptions", [requiredValue("fieldManager", "is required for apply patch")]);
  }
  if (!apply && query.has("force")) {
    throw invalidOptions("PatchOptions", [forbiddenValue("force", "may not be specified for non-apply patch")]);
  }
}
