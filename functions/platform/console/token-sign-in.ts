import type { IncomingMessage } from "node:http";
import type { Clock } from "../../../shared/clock.ts";
import type { Transport } from "../../../shared/kubernetes/transport.ts";
import { readCookie, writeCookie } from "../lib/console/cookie.ts";
import { Refusal } from "../lib/console/refusal.ts";
import type { SignIn } from "../lib/console/sign-in.ts";
import { whoAmI } from "../lib/console/who-am-i.ts";
import type { Settings } from "./declaration.ts";
import { endOf, readKey, seal, unseal } from "./session-cookie.ts";

/** Browsers keep 4,096 bytes of a cookie, and encryption makes three bytes four. */
const longestToken = 2_800;

/** People paste a token. The cookie that keeps it is all there is of their session. */
export function byToken(
  withToken: (token: string) => Transport,
  { keyFile, hours }: Pick<Settings, "keyFile" | "hours">,
  clock: Pick<Clock, "now">,
): SignIn {
  const key = () =>
    readKey(keyFile).catch((cause: Error) => {
      throw new Refusal(503, cause.message, { cause });
    });
  return {
    how: "token",
    async transportFor(request) {
      const value = readCookie(request, nameFor(request));
      const token = value && (await unseal(value, await key()));
      return token ? withToken(token) : undefined;
    },
    async open(token, request) {
      if (token.length > longestToken)
        throw new Refusal(400, `A browser keeps no token of more than ${longestToken} bytes. Use an OIDC proxy.`);
      const usual = clock.now() + hours * 3_600_000;
      const expires = Math.min(usual, await endOf(token));
      const sealed = await seal(token, expires, await key());
      if ((await whoAmI(withToken(token))) === undefined)
        throw new Refusal(401, "The API server does not accept this token. It may have ended: make another one.");
      const seconds = Math.max(0, Math.floor((expires - clock.now()) / 1000));
      return writeCookie(nameFor(request), sealed, seconds, isHttps(request));
    },
    forget: (request) => writeCookie(nameFor(request), "", 0, isHttps(request)),
  };
}

/** What terminates TLS before the function says so. */
const isHttps = ({ headers }: IncomingMessage) => `${headers["x-forwarded-proto"]}`.split(",")[0]?.trim() === "https";

/** A browser takes the prefix as a promise that no other host has set the cookie. */
const nameFor = (request: IncomingMessage) => (isHttps(request) ? "__Host-holdfast-console" : "holdfast-console");
