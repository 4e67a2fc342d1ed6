import { readFileSync } from "node:fs";
import type { Clock } from "../../../shared/clock.ts";
import { UserError } from "../../../shared/command/user-error.ts";
import { type Exchange, exchangeWith } from "../../../shared/system/exchange.ts";
import { httpTransport } from "../../../shared/system/http-transport.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import type { SaltAccess, SaltAccount } from "./account.ts";
import type { SaltFlags } from "./read-flags.ts";

/** Milliseconds until a Salt that does not answer is given up; salt-api answers nothing while its master is down. */
const patience = 15_000;

/**
 * Logs in to a Salt that is there, once.
 *
 * @throws UserError that says what is wrong with the Salt or the account.
 */
export async function logInTo(flags: SaltFlags, clock: Clock): Promise<SaltAccount> {
  return (await begin(flags, clock, async () => undefined)).account;
}

/**
 * The same, and finds the minion to work on. Nothing is run on it but `saltutil.find_job`, which Salt lets everybody
 * ask.
 *
 * @throws UserError that says what is wrong with the Salt, the account or the choice of a minion.
 */
export async function reachSalt(flags: SaltFlags, clock: Clock): Promise<SaltAccess> {
  const { account, found: minion } = await begin(flags, clock, async (exchange, token) =>
    choose(await answering(exchange, token, flags.minion ?? "*"), flags),
  );
  return { ...account, minion };
}

/** Logs in, and asks for more with the token. */
async function begin<Found>(
  flags: SaltFlags,
  clock: Clock,
  ask: (exchange: Exchange, token: string) => Promise<Found>,
): Promise<{ readonly account: SaltAccount; readonly found: Found }> {
  const { url, username, eauth } = flags;
  const password =
    "file" in flags.password ? readFlagged("--salt-password-file", flags.password.file) : flags.password.text;
  const authority = flags.authorityFile ? readFlagged("--salt-ca", flags.authorityFile) : undefined;
  const credential = async (name: string) => (name === "ca.crt" ? authority : undefined);
  const exchange = exchangeWith("Salt", httpTransport(url, credential), clock, patience);
  try {
    const token = await logIn(exchange, { eauth, username, password });
    const account = { url, username, eauth, password, ...(authority ? { authority } : {}) };
    return { account, found: await ask(exchange, token) };
  } catch (error) {
    if (error instanceof SystemError) throw new UserError(`${url}: ${error.message}`, { cause: error });
    throw error;
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

const json = { accept: "application/json", "content-type": "application/json" };

interface Login {
  readonly eauth: string;
  readonly username: string;
  readonly password: string;
}

async function logIn(exchange: Exchange, login: Login): Promise<string> {
  const { status, body } = await exchange({
    method: "POST",
    path: "/login",
    headers: json,
    body: JSON.stringify(login),
  });
  if (status === 401)
    throw new UserError(`Salt does not accept the password of the account ${login.username} (eauth ${login.eauth}).`);
  const given = status === 200 ? (entryIn(body) as { token?: unknown; perms?: object } | undefined) : undefined;
  if (typeof given?.token !== "string") throw new UserError(`This is no salt-api: its /login answers ${status}.`);
  // Salt lets everybody in whose password is right, and refuses each request afterwards.
  if (given.perms !== undefined && Object.keys(given.perms ?? {}).length === 0)
    throw new UserError(`Salt grants the account ${login.username} nothing: list it in external_auth of the master.`);
  return given.token;
}

/** The minions of a pattern that answer. */
async function answering(exchange: Exchange, token: string, target: string): Promise<readonly string[]> {
  const wanted = { client: "local", tgt: target, fun: "saltutil.find_job", kwarg: { jid: "20000101000000000000" } };
  const body = JSON.stringify({ ...wanted, full_return: true, timeout: 2, gather_job_timeout: 2 });
  const response = await exchange({ method: "POST", path: "/", headers: { ...json, "x-auth-token": token }, body });
  if (response.status !== 200) throw new UserError(`Salt was asked for its minions, and answers ${response.status}.`);
  const returns = (entryIn(response.body) ?? {}) as Readonly<Record<string, { out?: string } | string>>;
  return Object.keys(returns)
    .filter((id) => (returns[id] as { out?: string }).out !== "no_return")
    .toSorted();
}

function choose(minions: readonly string[], { minion }: SaltFlags): string {
  const [first, ...others] = minions;
  if (!first) throw new UserError(minion ? `Minion ${minion} does not answer.` : "No minion of this Salt answers.");
  if (others.length > 0) throw new UserError(`Choose one of Salt's minions with --minion: ${minions.join(", ")}.`);
  return first;
}

/** The one entry of what salt-api returns. */
function entryIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { return?: unknown[] }).return?.[0];
  } catch {
    return undefined;
  }
}
