import { badRequest, expired, tooLargeVersion } from "../failure.ts";
import { collectionOf } from "../kinds/resource-table.ts";
import type { Answer } from "../request/answer.ts";
import type { Call } from "../request/call.ts";
import { type ListQuery, listQuery } from "../request/query.ts";
import type { State } from "../state.ts";
import type { Stored } from "../store/stored.ts";
import { prefixOf } from "./get.ts";

/** LIST: one moment of a collection, in pages that all show the same moment. */
export function list(state: State, call: Call): Answer & { type: "list" } {
  const query = listQuery(call);
  const prefix = prefixOf(call);
  const token = query.continue ? readToken(query.continue) : undefined;
  const version = versionToList(state, query, token);
  const all = state.store.list(collectionOf(call.resource), prefix, version);
  // The client begins again: to prove that something is not there it must.
  if (!all) throw expired(token ? staleToken : "The resourceVersion for the provided list is too old.");

  const rest = token ? all.filter((stored) => stored.key >= prefix + token.start) : all;
  // A list that any version satisfies comes from the watch cache, which does not page.
  const limit = query.resourceVersion === 0 ? 0 : query.limit;
  const { items, taken } = takePage(rest, limit, query.selects);
  const last = rest[taken - 1];
  const more = taken < rest.length && last ? { next: writeToken(version, last.key.slice(prefix.length)) } : {};
  const remaining = more.next && !query.selects ? { remaining: rest.length - taken } : {};
  return { type: "list", resource: call.resource, items, version, ...more, ...remaining };
}

function versionToList({ store }: State, query: ListQuery, token: Token | undefined): number {
  const wanted = token?.version ?? query.resourceVersion ?? 0;
  if (wanted > store.version) throw tooLargeVersion(wanted, store.version);
  return token ? wanted : store.version;
}

function takePage(rest: Stored[], limit: number, selects: ListQuery["selects"]) {
  if (limit === 0 && !selects) return { items: rest, taken: rest.length };
  const items: Stored[] = [];
  let taken = 0;
  while (taken < rest.length && (limit === 0 || items.length < limit)) {
    const stored = rest[taken++]!;
    if (!selects || selects(stored)) items.push(stored);
  }
  return { items, taken };
}

const staleToken =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
  "the continue parameter.";

interface Token {
  version: number;
  /** The first key of the page, without the prefix of the collection. */
  start: string;
}

/** The token is opaque to clients; this is the real server's form of it. */
function writeToken(version: number, lastKey: string): string {
  const text = JSON.stringify({ v: "meta.k8s.io/v1", rv: version, start: `/${lastKey}\0` });
  return Buffer.from(text).toString("base64url");
}

function readToken(text: string): Token {
  try {
    const { v, rv, start } = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    if (v === "meta.k8s.io/v1" && Number.isInteger(rv) && typeof start === "string") {
      return { version: rv, start: start.replace(/^\//, "") };
    }
  } catch {
    // Answered below.
  }
  throw badRequest("invalid continue token: continue key is not valid: it was not issued by this server");
}
