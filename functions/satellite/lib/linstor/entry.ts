import { z } from "zod";
import { type RetCode, readRetCode } from "./ret-code.ts";

/** One entry of LINSTOR's answer to a command. */
export interface Entry extends RetCode {
  /** May be absent: an answer to a satellite that hung had a code and no message. */
  readonly message: string | undefined;
  readonly cause: string | undefined;
  readonly details: string | undefined;
  readonly correction: string | undefined;
  /** What it is about, for example `{ Node: "node-1", RscDfn: "pvc-1" }`. */
  readonly refs: Readonly<Record<string, string>>;
}

const text = z.string().optional();
const apiCallRc = z
  .object({
    ret_code: z.union([z.number().int(), z.bigint()]),
    message: text,
    cause: text,
    details: text,
    correction: text,
    obj_refs: z.record(z.string(), z.string()).optional(),
  })
  .transform(({ ret_code, message, cause, details, correction, obj_refs }) => {
    return { ...readRetCode(BigInt(ret_code)), message, cause, details, correction, refs: obj_refs ?? {} };
  });

/**
 * The entries of an answer: LINSTOR sends an array; its API's description has a single object for 500, which is taken,
 * too.
 */
export const entries = z.union([z.array(apiCallRc), apiCallRc.transform((entry) => [entry])]);

/** What an entry says, for people: LINSTOR's own words with its code. */
export function describeEntry({ severity, code, message, cause, details }: Entry): string {
  const words = [message, cause && cause !== message ? cause : undefined].filter(Boolean).join(" ");
  return `${words || details || "no message"} (${severity} ${code})`;
}
