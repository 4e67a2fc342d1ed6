import { UserError } from "../../../shared/command/user-error.ts";
import type { Answer } from "./transport.ts";

/** What a registry says of an answer that is not what was hoped for, in a few words. */
export async function reasonOf({ status, body }: Answer): Promise<string> {
  const text = await body.text().catch(() => "");
  try {
    const { errors } = JSON.parse(text) as { errors: { code: string; message?: string; detail?: unknown }[] };
    const detail = (value: unknown) => (typeof value === "string" ? ` (${value})` : "");
    const reasons = errors.map(({ code, message, detail: more }) => `${code}: ${message}${detail(more)}`);
    return `${status}, ${reasons.join("; ")}`;
  } catch {
    const [line = ""] = text.trim().split("\n");
    return line && !line.startsWith("<") ? `${status}, ${line.slice(0, 200)}` : String(status);
  }
}

/** Why nothing came back from a registry. */
export function unreachable(host: string, error: Error & { code?: string }): UserError {
  const { code = "", message } = error;
  if (isCertificateFault(code))
    return new UserError(
      `The certificate of ${host} is not trusted: ${message}. NODE_EXTRA_CA_CERTS can name a file with your own ` +
        "authority; --insecure-registry accepts any certificate.",
    );
  if (isNoTls(code))
    return new UserError(`${host} does not answer with TLS. If it is meant to be so, say --insecure-registry.`);
  return new UserError(`The registry ${host} cannot be reached: ${message || code}.`, { cause: error });
}

/** Whether what answered speaks no TLS. */
export function isNoTls(code: string): boolean {
  return ["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "EPROTO"].includes(code);
}

/** What no waiting mends: a name that is none, a port without a listener, a certificate. */
export function isForGood({ code = "" }: { readonly code?: string }): boolean {
  return ["ENOTFOUND", "ECONNREFUSED"].includes(code) || isNoTls(code) || isCertificateFault(code);
}

function isCertificateFault(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)/.test(code);
}
