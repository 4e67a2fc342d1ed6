import type { HttpRequest, HttpResponse } from "../../http-message.ts";
import { longestReply } from "../../outcome.ts";
import type { Tools } from "../../pipeline/receive.ts";
import { truncate } from "../../truncate.ts";
import { type OidcSettings, readOidcSettings } from "./settings.ts";
import type { Verify } from "./verify.ts";

type Handler = (request: HttpRequest) => Promise<HttpResponse>;

/**
 * Puts a check of the sender before a handler where `OIDC_AUDIENCE` asks for one, and returns the handler itself where
 * it does not: what checks tokens is a chunk of its own, which only the first event of a guarded function loads.
 *
 * @throws SettingsError as {@link readOidcSettings} does.
 */
export function guarded(
  handle: Handler,
  tools: Pick<Tools<unknown>, "client" | "clock" | "log">,
  environment: Readonly<Record<string, string | undefined>>,
): Handler {
  const settings = readOidcSettings(environment);
  return settings ? checkFirst(handle, settings, tools) : handle;
}

function checkFirst(
  handle: Handler,
  settings: OidcSettings,
  { client, clock, log }: Pick<Tools<unknown>, "client" | "clock" | "log">,
): Handler {
  let verifier: Promise<Verify> | undefined;
  const load = () => {
    verifier ??= import("./verify-token.ts").then(({ tokenVerifier }) => tokenVerifier(settings, client, clock));
    return verifier;
  };
  return async (request) => {
    const verify = await load();
    const refusal = await verify(request.headers.authorization);
    if (!refusal) return handle(request);
    const { status, message } = refusal;
    log.warn({ status }, message);
    const headers = { "content-type": "text/plain; charset=utf-8" };
    return { status, headers, body: truncate(message, longestReply) };
  };
}
