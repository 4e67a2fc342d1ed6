import { readFileSync } from "node:fs";
import { localAnswer, readAnswer } from "../../../functions/volume/lib/salt/answers.ts";
import { openSession } from "../../../functions/volume/lib/salt/session.ts";
import type { Clock } from "../../../shared/clock.ts";
import { UserError } from "../../../shared/command/user-error.ts";
import { exchangeWith } from "../../../shared/system/exchange.ts";
import { httpTransport } from "../../../shared/system/http-transport.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import type { SaltAccess } from "./installed.ts";
import type { SaltFlags } from "./read-flags.ts";

/** Milliseconds until a Salt that does not answer is given up; salt-api answers nothing while its master is down. */
const patience = 15_000;

/**
 * Logs in to a Salt that is there, finds the minions that answer, and chooses the one to work on. Nothing is run on
 * them but `saltutil.find_job`, which Salt lets everybody ask.
 *
 * @throws UserError that says what is wrong with the Salt, the account or the choice of a minion.
 */
export async function reachSalt(flags: SaltFlags, clock: Clock): Promise<SaltAccess> {
  const { url, username, eauth, minion: tgt = "*" } = flags;
  const password =
    "file" in flags.password ? readFlagged("--salt-password-file", flags.password.file) : flags.password.text;
  const authority = flags.authorityFile ? readFlagged("--salt-ca", flags.authorityFile) : undefined;
  const account = { url, username, eauth, password, ...(authority ? { authority } : {}) };
  const given: Readonly<Record<string, string | undefined>> = { password, "ca.crt": authority };
  const credential = async (name: string) => given[name];
  const exchange = exchangeWith("Salt", httpTransport(url, credential), clock, patience);
  const asked = { what: `find the minions ${tgt}`, grant: "@jobs" };
  const job = { client: "local", tgt, fun: "saltutil.find_job", kwarg: { jid: "20000101000000000000" } };
  const body = { ...job, full_return: true, timeout: 2, gather_job_timeout: 2 };
  try {
    const text = await openSession(exchange, { username, eauth, credential })(asked, {
      method: "POST",
      path: "/",
      body,
    });
    const [returns] = readAnswer(asked.what, localAnswer, text).return;
    const answers = Object.entries(returns).filter(([, one]) => (one as { out?: string }).out !== "no_return");
    return { ...account, minion: choose(answers.map(([id]) => id).toSorted(), flags) };
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    // What follows is advice for an installation.
    const [sentence = ""] = error.message.split(/(?<=\.) /);
    throw new UserError(`${url}: ${sentence}`, { cause: error });
  }
}

function readFlagged(flag: string, file: string): string {
  try {
    const text = readFileSync(file, "utf8").trim();
    if (text) return text;
  } catch (error) {
    throw new UserError(`The file of ${flag} cannot be read: ${(error as Error).message}`);
  }
  throw new UserError(`The file of ${flag} is empty: ${file}.`);
}

function choose(minions: readonly string[], { minion }: SaltFlags): string {
  const [first, ...others] = minions;
  if (!first) throw new UserError(minion ? `Minion ${minion} does not answer.` : "No minion of this Salt answers.");
  if (others.length > 0) throw new UserError(`Choose one of Salt's minions with --minion: ${minions.join(", ")}.`);
  return first;
}
