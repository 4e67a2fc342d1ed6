import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../../functions/satellite/lib/linstor/caller.ts";
import { toJson } from "../../../local/linstor/linstor.ts";
import type { SystemRequest, SystemResponse } from "../../../shared/system/transport.ts";

/** One request to the real controller, and its answer. */
export interface RecordedExchange {
  operation: string;
  note?: string;
  request: { method: SystemRequest["method"]; path: string; body?: unknown };
  response: { status: number; content_type: string; body: unknown };
  /** The answer's codes in words, for example `ERROR CRT NODE 500 FAIL_EXISTS_NODE`. */
  decoded?: string[];
}

interface RecordedEntry {
  severity: string;
  code: number;
  message?: string;
}
/** A resource in a listing of a timeline: LINSTOR's own fields, fewer of them. */
export interface RecordedResource {
  name: string;
  node_name: string;
  flags?: string[];
  props?: Record<string, string>;
  state?: { in_use?: boolean };
  volumes: { flags?: string[]; state?: { disk_state?: string | null } }[];
}
/** One moment of a timeline: exactly one of action, answer, listing and error. */
export interface RecordedStep {
  at_s: number;
  action?: string | { method: string; path: string; body?: unknown };
  answer?: { path: string; status: number; entries: RecordedEntry[] };
  listing?: { nodes_not_plain_online?: { name: string; flags?: string[] }[]; resources: RecordedResource[] };
}

function linesOf(file: string): unknown[] {
  const text = readFileSync(join(import.meta.dirname, "recorded", `${file}.jsonl`), "utf8");
  return text.trim().split("\n").map(parseJson).slice(1);
}

/** The exchanges of a file, numbers unharmed. */
export const exchangesIn = (file: string) => linesOf(file) as RecordedExchange[];

/** The moments of a timeline. */
export const timeline = (file: string) => linesOf(`timeline-${file}`) as RecordedStep[];

/** One exchange by its file and operation. */
export function exchange(file: string, operation: string): RecordedExchange {
  const found = exchangesIn(file).find((candidate) => candidate.operation === operation);
  if (!found) throw new Error(`There is no ${operation} in ${file}.jsonl.`);
  return found;
}

/** A recorded answer as a transport gives it out. */
export function responseOf({ response }: RecordedExchange): SystemResponse {
  const body = typeof response.body === "string" ? response.body : toJson(response.body);
  return { status: response.status, headers: { "content-type": response.content_type }, body };
}
