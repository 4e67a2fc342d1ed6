import { badRequest, invalidOptions, unreadableVersion } from "../failure.ts";
import { parseFieldSelector } from "../selector/field.ts";
import { parseLabelSelector } from "../selector/label-selector.ts";
import type { Stored } from "../store/stored.ts";
import { type Cause, forbiddenValue, unsupportedValue } from "../validation/status-cause.ts";
import { type Call, isTrue } from "./call.ts";

/** What a list, a watch or the deletion of a collection asks for. */
export interface ListQuery {
  /** Absent when everything is selected. */
  readonly selects?: (stored: Stored) => boolean;
  /** Objects per page; 0 is all. */
  readonly limit: number;
  readonly continue?: string;
  /** Absent when unset: the latest. */
  readonly resourceVersion?: number;
  /** Whether the list is to show just that version. */
  readonly exact: boolean;
  readonly allowBookmarks: boolean;
  /** Absent when the client did not say. */
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

/** Reads the query of a collection. Throws 400 and 422 as the API server words them. */
export function listQuery(call: Call): ListQuery {
  const { query } = call;
  const version = query.get("resourceVersion") ?? "";
  const resourceVersion = versionOf(version, call.verb === "watch");
  const selects = selection(call);
  const next = query.get("continue");
  const timeout = integer(query, "timeoutSeconds");
  checkOptions(call, version);
  if (next && version !== "" && version !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  return {
    ...(selects ? { selects } : {}),
    limit: Math.max(0, integer(query, "limit") ?? 0),
    ...(next ? { continue: next } : {}),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    exact: isExact(query, resourceVersion),
    allowBookmarks: isTrue(query.get("allowWatchBookmarks")),
    ...(query.has("sendInitialEvents") ? { sendInitialEvents: isTrue(query.get("sendInitialEvents")) } : {}),
    ...(timeout ? { timeoutSeconds: timeout } : {}),
  };
}

/** A version without a match means "not older", but together with a limit, as of old, just that version. */
function isExact(query: URLSearchParams, version: number | undefined): boolean {
  const match = query.get("resourceVersionMatch") ?? "";
  return match === "Exact" || (match === "" && query.has("limit") && (version ?? 0) > 0);
}

function selection({ resource, query }: Call): ListQuery["selects"] {
  const labelText = query.get("labelSelector");
  const fieldText = query.get("fieldSelector");
  const labels = labelText ? parseLabelSelector(labelText) : undefined;
  const fields = fieldText ? parseFieldSelector(resource, fieldText) : undefined;
  if (!labels && !fields) return undefined;
  const none = {};
  return ({ object }) => (labels?.(object.metadata.labels ?? none) ?? true) && (fields?.(object) ?? true);
}

function versionOf(text: string, watch: boolean): number | undefined {
  if (text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const wrong = unreadableVersion(text, `resourceVersion: Invalid value: ${JSON.stringify(text)}: `);
  throw watch ? wrong : badRequest(`invalid resource version: ${wrong.message}`);
}

function integer(query: URLSearchParams, parameter: string): number | undefined {
  const text = query.get(parameter);
  if (text === null || text === "") return undefined;
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** The rules by which resourceVersionMatch and sendInitialEvents go together with the rest. */
function checkOptions({ query, verb }: Call, version: string): void {
  const match = query.get("resourceVersionMatch") ?? "";
  const initial = query.get("sendInitialEvents");
  const causes: Cause[] = [];
  const forbid = (field: string, why: string) => causes.push(forbiddenValue(field, why));
  if (verb === "watch") {
    if (initial !== null && match !== "NotOlderThan") {
      forbid("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    } else if (initial === null && match) {
      forbid(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      );
    }
  } else {
    if (match && version === "") {
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (match && query.get("continue")) {
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
    }
    if (match && !["Exact", "NotOlderThan"].includes(match)) {
      causes.push(unsupportedValue("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && version === "0") {
      forbid("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
    if (initial !== null) forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  }
  if (causes.length > 0) throw invalidOptions("ListOptions", causes);
}
