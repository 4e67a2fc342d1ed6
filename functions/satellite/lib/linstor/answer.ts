import * as z from "zod";
import { SystemError, type SystemFailure } from "../../../../shared/system/system-error.ts";

/** One entry of LINSTOR's answer to a command. */
export interface Entry extends RetCode {
  /** May be absent: an answer to a satellite that hung had a code and no message. */
  readonly message: string | undefined;
  readonly cause: string | undefined;
  readonly details: string | undefined;
}

const text = z.string().optional();
const apiCallRc = z
  .object({
    ret_code: z.union([z.number().int(), z.bigint()]),
    message: text,
    cause: text,
    details: text,
  })
  .transform(({ ret_code, message, cause, details }) => {
    return { ...readRetCode(BigInt(ret_code)), message, cause, details };
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

/** How an entry of an answer is meant. A mixed answer may have successes before and after an error. */
export type Severity = "success" | "info" | "warning" | "error";

/**
 * A `ret_code` in its parts. `code` says what happened only together with the severity: 0 and 1 to 3 exist in several.
 */
export interface RetCode {
  readonly severity: Severity;
  readonly code: number;
}

const severities: readonly Severity[] = ["success", "info", "warning", "error"];

/** What of a `ret_code` matters: bits 63-62 are the severity, 14-0 the code. */
function readRetCode(retCode: bigint): RetCode {
  const bits = BigInt.asUintN(64, retCode);
  const part = (shift: bigint, mask: bigint) => Number((bits >> shift) & mask);
  return {
    severity: severities[part(62n, 3n)] as Severity,
    code: part(0n, 0x7fffn),
  };
}

/** The codes on which decisions depend, by what they say. */
export const codes = {
  /** Error: the node has resources in use, or last diskful ones with diskless clients. */
  nodeInUse: 233,
  /** Error: there is no node of that name. A 404 without it (a wrong path, a proxy) says nothing about a node. */
  unknownNode: 300,
  /** Error: there is a node of that name already. */
  nodeExists: 500,
  /** Error: there is a pool of that name on the node already. */
  poolExists: 510,
  /** Errors 500 to 599 say that something exists; this one that the node is connected, so that it cannot be lost. */
  nodeConnected: 506,
  /** Warning: an evicted node is not deleted by DELETE. */
  evicted: 1017,
  /** Warning: a resource or snapshot stays where it is, and nothing else will move it. */
  notEvacuating: 1020,
  /** Error: the JSON that was sent has a field or a type that LINSTOR does not take. */
  unreadableRequest: 32765,
} as const;

/**
 * LINSTOR has answered a request with errors. What it was asked may have been done all the same, wholly or in part:
 * after a command only a fresh read shows the effect.
 */
export class LinstorError extends SystemError {
  /** The whole answer in its order, successes included. */
  readonly entries: readonly Entry[];
  readonly status: number;

  constructor(request: string, status: number, entries: readonly Entry[]) {
    const errors = entries.filter(({ severity }) => severity === "error");
    const words = errors.map(describeEntry).join("; ") || "it gave no reason";
    super("LINSTOR", failureOf(status, errors), `LINSTOR answered ${request} with ${status}: ${words}.`, {
      answered: true,
    });
    this.entries = entries;
    this.status = status;
  }
}

/** Whether LINSTOR has answered with an error of this code. */
export function isLinstorError(error: unknown, code: number): boolean {
  return (
    error instanceof LinstorError && error.entries.some((entry) => entry.severity === "error" && entry.code === code)
  );
}

/**
 * What depends on the state of nodes and resources passes by itself (in use, connected, gone meanwhile, a satellite's
 * trouble), and is asked again. What was asked wrongly, or exists already, does not.
 */
function failureOf(status: number, errors: readonly Entry[]): SystemFailure {
  const within = (from: number, to: number) =>
    errors.some(({ code }) => code >= from && code < to && !passing.has(code));
  if (status === 401 || status === 403 || within(400, 500)) return "unauthorized";
  const wrong = within(200, 300) || within(500, 600) || within(codes.unreadableRequest, codes.unreadableRequest + 1);
  // A 404 that names no object is a path that LINSTOR does not have.
  return wrong || (status === 404 && !within(300, 400)) || status === 405 ? "refused" : "unreachable";
}

/** A node that has resources in use, and one that is still connected. */
const passing = new Set<number>([codes.nodeInUse, codes.nodeConnected]);
