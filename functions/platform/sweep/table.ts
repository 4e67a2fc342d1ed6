import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import * as z from "zod";
import { readDuration } from "../../../shared/duration.ts";

const duration = z.string().transform((text, context) => {
  const read = readDuration(text);
  if (read) return read;
  context.addIssue("expected a duration such as 90s, 30m, 1h or 7d");
  return z.NEVER;
});

/** In a sink it stands for the namespace that the sweep runs in, and so do the brokers beside it. */
export const here = "{namespace}";

/** Marks further tables, which optional systems bring along, in the namespace of the sweep. */
export const tableLabel = "holdfast.dev/sweep-table";

const rowIn = (namespace: string, hosts?: readonly string[]) =>
  z.strictObject({
    /** The rule that the row serves; for people, and for the log. */
    rule: z.string().min(1),
    apiVersion: z.string().min(1),
    kind: z.string().min(1),
    /** The kind's plural in URLs. */
    resource: z.string().min(1),
    namespaced: z.boolean().default(true),
    /** What to look for besides due times; without it only due times and the resync. */
    when: z
      .union([z.strictObject({ deletingWith: z.string().min(1) }), z.strictObject({ aliveWithout: z.string().min(1) })])
      .optional(),
    /** The resync: every object has an event once in this time, all of them together. */
    every: duration.default(6 * 3_600_000),
    /**
     * The type of the resync's events, where they are for this rule alone. Such a row looks for nothing else: what has
     * fallen due is for every rule of the kind.
     */
    signal: z
      .string()
      .regex(/^dev\.holdfast\.poll\.[a-z0-9-]+$/)
      .optional(),
    /**
     * `false`: the sweep does not look for them, and may not list the kind. The row only says where a dead-lettered
     * event of one is sent again.
     */
    listed: z.literal(false).optional(),
    /** Leaves out objects that it does not match, as kubectl's `-l`. */
    labelSelector: z.string().optional(),
    excludedNamespaces: z.array(z.string()).default([]),
    /** Where events of this kind go: the family's broker. */
    sink: z
      .string()
      .transform((text) => text.replaceAll(here, namespace))
      .pipe(z.url({ protocol: /^https?$/ }))
      .refine(
        (sink) => !hosts || hosts.some((host) => host.replaceAll(here, namespace) === new URL(sink).host),
        "SINK_HOSTS of platform-sweep does not name its host",
      ),
  });

/** One line of the sweep's table: which objects of which kind need a look, and on whose behalf. */
export type Row = z.output<ReturnType<typeof rowIn>>;

/** A row, or a whole table, that cannot be used. `line` counts from 1. */
export interface Fault {
  readonly line: number;
  readonly message: string;
}

export interface Table {
  readonly rows: readonly Row[];
  readonly faults: readonly Fault[];
}

/** The tables of the last ticks, by what they were read from: reading one costs more than the rest of a quiet tick. */
const known = new Map<string, Table>();

/**
 * Reads the table: a YAML list, one row per rule and kind. A row that cannot be used is refused with its line and what
 * was expected, and nothing is guessed in its place; the other rows still count. `namespace` is the one that the sweep
 * runs in; `hosts` are those that events may go to, all where absent.
 */
export function readTable(text: string, namespace: string, hosts?: readonly string[]): Table {
  const key = JSON.stringify([text, namespace, hosts]);
  const table = known.get(key) ?? read(text, rowIn(namespace, hosts));
  // Texts that are not there any more do not gather.
  if (known.size >= 50) known.clear();
  known.set(key, table);
  return table;
}

function read(text: string, row: ReturnType<typeof rowIn>): Table {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineAt = (offset = 0) => lines.linePos(offset).line;
  const lineOf = (node: unknown) => lineAt(isNode(node) ? node.range?.[0] : undefined);
  const [error] = document.errors;
  if (error) {
    const message = error.message.split(" at line ")[0] ?? error.message;
    return { rows: [], faults: [{ line: lineAt(error.pos[0]), message: `The table is not valid YAML: ${message}.` }] };
  }
  const { contents } = document;
  if (!isSeq(contents)) return { rows: [], faults: [{ line: 1, message: "The table must be a list of rows." }] };

  const rows: Row[] = [];
  const faults: Fault[] = [];
  for (const node of contents.items) {
    const result = row.safeParse(isMap(node) ? node.toJS(document) : undefined);
    if (result.success) {
      rows.push(result.data);
      continue;
    }
    for (const issue of result.error.issues) {
      const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
      const [field] = unknown ? [unknown] : issue.path;
      const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === field) : undefined;
      faults.push({
        line: lineOf(pair ? pair.key : node),
        message: `${field === undefined ? "The row" : String(field)}: ${issue.message}.`,
      });
    }
  }
  return { rows, faults };
}
