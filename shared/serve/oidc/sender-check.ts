import type { HttpRequest, HttpResponse } from "../../http-message.ts";
import { longestReply } from "../../outcome.ts";
import type { Tools } from "../../pipeline/tools.ts";
import { truncate } from "../../truncate.ts";
import { type OidcSettings, readOidcSettings } from "./settings.ts";
import type { Verify } from "./verify.ts";

/** Returns the refusal for a sender that may not send, by the headers of its request; `undefined` for one that may. */
export type CheckSender = (headers: HttpRequest["headers"]) => Promise<HttpResponse | undefined>;

/**
 * Returns the check of senders where `OIDC_AUDIENCE` asks for one, and `undefined` where it does not. The code that
 * verifies tokens is a chunk of its own, which the first event that has to be checked loads.
 *
 * @throws SettingsError as {@link readOidcSettings} does.
 */
export function senderCheck(
  tools: Pick<Tools<unknown>, "client" | "clock" | "log">,
  environment: Readonly<Record<string, string | undefined>>,
): CheckSender | undefined {
  const settings = readOidcSettings(environment);
  return settings && checkBy(settings, tools);
}

function checkBy(
  settings: OidcSettings,
  { client, clock, log }: Pick<Tools<unknown>, "client" | "clock" | "log">,
): CheckSender {
  let verifier: Promise<Verify> | undefined;
  const load = () => {
    verifier ??= import("./verify-token.ts").then(({ tokenVerifier }) => tokenVerifier(settings, client, clock));
    return verifier;
  };
  return async ({ authorization }) => {
    const verify = await load();
    const refusal = await verify(authorization);
    if (!refusal) return undefined;
    const { status, message } = refusal;
    log.warn({ status }, message);
    const headers = { "content-type": "text/plain; charset=utf-8" };
    return { status, headers, body: truncate(message, longestReply) };
  };
}
