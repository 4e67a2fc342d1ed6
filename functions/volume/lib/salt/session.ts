import type { Exchange } from "../../../../shared/system/exchange.ts";
import { SystemError } from "../../../../shared/system/system-error.ts";
import { readLogin } from "./answers.ts";
import { type Asked, meaningOf401, refusalOf, unauthorized } from "./refusal.ts";

/** Who logs in, and how. */
export interface Account {
  /** The name of one of Salt's external authentication systems. */
  readonly eauth: string;
  readonly username: string;
  /** Read again at each login: a token of a service account is replaced in its file, a password by an administrator. */
  readonly credential: (name: "password" | "token") => Promise<string | undefined>;
}

/** Sends a request to salt-api with a token, and gives out the body of its answer. */
export type Send = (asked: Asked, request: { method: "GET" | "POST"; path: string; body?: object }) => Promise<string>;

/**
 * Logs in before the first request, keeps the token, and logs in once more where an answer says that the token is no
 * longer good: that is so after its time, and after each restart of salt-api. Requests at the same time share one
 * login.
 *
 * The functions sent throw {@link SystemError}: `unauthorized` when the login is refused, gives no rights, or does not
 * help; `refused`, `overloaded` and `unreachable` as the status says.
 */
export function openSession(exchange: Exchange, account: Account): Send {
  let login: Promise<string> | undefined;

  function token(): Promise<string> {
    login ??= logIn(exchange, account);
    const begun = login;
    begun.catch(() => {
      if (login === begun) login = undefined;
    });
    return begun;
  }

  return async (asked, { method, path, body }) => {
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    for (let attempt = 1; ; attempt++) {
      const used = token();
      const headers = { ...json, "x-auth-token": await used };
      const response = await exchange({ method, path, headers, ...text });
      if (response.status === 200) return response.body;
      if (response.status !== 401) throw refusalOf(asked, response);
      if (attempt === 2 || meaningOf401(response) === "right") throw unauthorized(asked, account.username, response);
      // Another request may have logged in meanwhile.
      if (login === used) login = undefined;
    }
  };
}

const json = { accept: "application/json", "content-type": "application/json" };

async function logIn(exchange: Exchange, { eauth, username, credential }: Account): Promise<string> {
  const secret = await secretOf(credential);
  const body = JSON.stringify({ eauth, username, ...secret });
  const response = await exchange({ method: "POST", path: "/login", headers: json, body });
  if (response.status === 401) {
    const kind = Object.keys(secret)[0];
    throw new SystemError(
      "Salt",
      "unauthorized",
      `Salt does not accept the ${kind} of the account ${username} (eauth ${eauth}). Put the right one under ${kind} ` +
        "into the Secret holdfast-salt, or correct SALT_EAUTH and SALT_USERNAME.",
    );
  }
  const asked = { what: "log in", grant: "a login" };
  if (response.status !== 200) throw refusalOf(asked, response);
  const { token, perms } = readLogin(response.body).return[0];
  // Salt lets everybody in whose password is right, and refuses each request afterwards.
  if (perms !== undefined && Object.keys(perms ?? {}).length === 0)
    throw new SystemError(
      "Salt",
      "unauthorized",
      `Salt knows the password of the account ${username} (eauth ${eauth}), but grants it nothing. List the account ` +
        "with its rights in external_auth of the Salt master, and restart the master.",
    );
  return token;
}

async function secretOf(credential: Account["credential"]): Promise<{ token: string } | { password: string }> {
  const token = await credential("token");
  if (token) return { token };
  const password = await credential("password");
  if (password) return { password };
  throw new SystemError(
    "Salt",
    "unauthorized",
    "There is nothing to log in to Salt with. Put the account's password under password, or a service account's " +
      "token under token, into the Secret holdfast-salt.",
  );
}
