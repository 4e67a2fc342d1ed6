import * as z from "zod";
import { SystemError } from "../../../../shared/system/system-error.ts";

/** What salt-api answers to a request that it carries out: one entry in `return` for the one command that was sent. */
const inReturn = <Entry extends z.ZodType>(entry: Entry) =>
  z.looseObject({ return: z.tuple([entry]).rest(z.unknown()) });

/** `POST /login`. An account without any right has `{}` for `perms`, and so has one that Salt does not know at all. */
const loginAnswer = inReturn(z.looseObject({ token: z.string().min(1), perms: z.unknown().optional() }));

/** `POST /` with `local_async`: `{}` when the target is no minion whose key the master has accepted. */
export const spawnAnswer = inReturn(
  z.union([z.looseObject({ jid: z.string(), minions: z.array(z.string()) }), z.strictObject({})]),
);

/** `POST /` with `local`: what each minion returned, by its id. */
export const localAnswer = inReturn(z.record(z.string(), z.unknown()));

/** What one minion returned to `local` with `full_return`. */
export const localReturn = z.looseObject({ ret: z.unknown(), retcode: z.number().int(), out: z.string().optional() });

/** `GET /jobs/<jid>`. `Error` is there instead of the job where the master has none of this id. */
export const jobAnswer = z.looseObject({
  info: z
    .tuple([
      z.looseObject({ jid: z.string(), Error: z.string().optional(), Result: z.record(z.string(), z.unknown()) }),
    ])
    .rest(z.unknown()),
});

/** What one minion returned for a job. */
export const jobReturn = z.looseObject({ return: z.unknown(), retcode: z.number().int(), success: z.boolean() });

/**
 * Reads an answer that should be JSON of this shape. Fields that are not asked for may be anything.
 *
 * @throws SystemError `unreachable`: who answers something else is not Salt, or not whole, and may be asked again.
 */
export function readAnswer<Schema extends z.ZodType>(asked: string, schema: Schema, body: string): z.output<Schema> {
  return read(asked, schema, body, `: ${excerpt(body)}`);
}

/**
 * Reads the answer to a login. Nothing of it is quoted, in the sentence or as a cause: a token may be anywhere in it.
 *
 * @throws SystemError as {@link readAnswer}.
 */
export function readLogin(body: string): z.output<typeof loginAnswer> {
  return read("log in", loginAnswer, body, "");
}

function read<Schema extends z.ZodType>(asked: string, schema: Schema, body: string, quoted: string): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw strangeAnswer(asked, `no JSON${quoted}`, quoted ? { cause } : {});
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const at = read.error.issues[0]?.path.join(".");
  throw strangeAnswer(asked, `not what Salt answers${at ? ` (at ${at})` : ""}${quoted}`, { cause: read.error });
}

/** The error of an answer in which something is missing or unexpected. */
export function strangeAnswer(asked: string, what: string, options: { cause?: unknown } = {}): SystemError {
  return new SystemError(
    "Salt",
    "unreachable",
    `Salt was asked to ${asked}, and the answer is ${what}. The answer is ignored. ` +
      "Check that SALT_URL is the address of salt-api, and that no proxy answers in its place.",
    options,
  );
}

/** The beginning of a text, on one line, for an error message. */
function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" ? "an empty body" : JSON.stringify(line.length > 120 ? `${line.slice(0, 119)}…` : line);
}
