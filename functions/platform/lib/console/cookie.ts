import type { IncomingMessage } from "node:http";

/** The value of a cookie of a request; `undefined` when it has none of this name. */
export function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [key, value] = pair.split("=", 2);
    if (key?.trim() === name) return value?.trim();
  }
  return undefined;
}

/**
 * The value of `set-cookie`: no script reads it, and no page of another site sends it.
 *
 * @param seconds how long the browser keeps it; 0 deletes it
 */
export function writeCookie(name: string, value: string, seconds: number, secure: boolean): string {
  const parts = [`${name}=${value}`, "Path=/", "HttpOnly", "SameSite=Strict", `Max-Age=${seconds}`];
  return [...parts, ...(secure ? ["Secure"] : [])].join("; ");
}
