import type { output, ZodObject } from "zod";
import type { Client } from "../../../../shared/kubernetes/client.ts";
import { run } from "../../../../shared/pipeline/run.ts";
import type { Rule } from "../../../../shared/rule.ts";
import type { Subject } from "../../../../shared/subject.ts";
import { now } from "./volume.ts";

/**
 * Runs a rule at `now`, with a client that answers as `answers` says and takes every write. Returns its outcomes, what
 * it has patched, and which Events it has recorded.
 */
export async function runOn<Schema extends ZodObject, Facts>(
  rule: Rule<Schema, Facts>,
  subject: Subject,
  settings: output<Schema>,
  answers: object,
) {
  const patched: string[] = [];
  const recorded: string[] = [];
  const client = {
    patch: async (kind: { kind: string }, _: unknown, name: string) => patched.push(`${kind.kind} ${name}`),
    create: async (_: unknown, { reason, regarding }: { reason?: string; regarding?: { name?: string } }) =>
      recorded.push(`${regarding?.name} ${reason}`),
    delete: async () => undefined,
    ...answers,
  } as unknown as Client;
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const clock = { now: () => now, after: () => () => {}, sleep: () => Promise.resolve() };
  const context = { client, connect: () => undefined as never, clock, log };
  const { outcomes } = await run(rule, subject, [], { client, settings } as never, context);
  return { outcomes, patched, recorded };
}
