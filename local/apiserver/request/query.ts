import { badRequest, invalidOptions, unreadableVersion } from "../failure.ts";
import { parseFieldSelector } from "../selector/field.ts";
import { parseLabelSelector } from "../selector/label-selector.ts";
import type { Stored } from "../store/stored.ts";
import { forbiddenValue } from "../validation/status-cause.ts";
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
  readonly allowBookmarks: boolean;
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
  refuseUnsupported(call);
  if (next && version !== "" && version !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  return {
    ...(selects ? { selects } : {}),
    limit: Math.max(0, integer(query, "limit") ?? 0),
    ...(next ? { continue: next } : {}),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    allowBookmarks: isTrue(query.get("allowWatchBookmarks")),
    ...(timeout ? { timeoutSeconds: timeout } : {}),
  };
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

/** A whole number of a query; `undefined` where it is not given. Throws 400 for any other text. */
export function integer(query: URLSearchParams, parameter: string): number | undefined {
  const text = query.get(parameter);
  if (text === null || text === "") return undefined;
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** Lists at an exact version and streaming lists are for caches of whole clusters, which fall back to a plain list. */
function refuseUnsupported({ query }: Call): void {
  const causes = ["resourceVersionMatch", "sendInitialEvents"]
    .filter((option) => query.get(option))
    .map((option) => forbiddenValue(option, "the laptop edition's API server does not have this option"));
  if (causes.length > 0) throw invalidOptions("ListOptions", causes);
}
