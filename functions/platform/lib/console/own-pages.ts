import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.ts";

/** Where a console can be reached: what its own pages send as `Host` and `Origin`. */
export interface Place {
  /** The only values of `Host` that it answers to; absent where what stands before it decides on names. */
  readonly hosts?: readonly string[];
  /** The only origins of its pages; absent where the browser alone knows, because a proxy has another address. */
  readonly origins?: readonly string[];
}

/** The header of every request that changes something: a page of another origin cannot send it without being asked. */
export const ownHeader = "x-holdfast-console";

/**
 * A foreign name that leads to this address would make a foreign page one of ours.
 *
 * @throws Refusal
 */
export function checkHost({ headers }: IncomingMessage, { hosts }: Place): void {
  if (hosts && !hosts.includes(headers.host ?? ""))
    throw new Refusal(403, `This console is at http://${hosts[0]}, and answers under no other name.`);
}

/**
 * Lets through only what pages of this console ask for. `Sec-Fetch-Site` is the browser's own word, and older browsers
 * and plain HTTP lack it: then `Origin` decides.
 *
 * @throws Refusal
 */
export function checkOwnPage({ method, headers }: IncomingMessage, { origins }: Place): void {
  const reads = method === "GET" || method === "HEAD";
  const { origin, host } = headers;
  const site = headers["sec-fetch-site"];
  const isSame = site === "same-origin";
  const own = origins ?? [`https://${host}`, `http://${host}`];
  const isOwn = origin !== undefined && own.includes(origin);
  const refuse = () => new Refusal(403, "Only pages of this console may ask for this.");
  if (site !== undefined && !isSame && !(site === "none" && reads)) throw refuse();
  if (origin !== undefined && !isOwn && !(isSame && !origins)) throw refuse();
  if (reads) return;
  if (!isOwn && !isSame) throw refuse();
  if (headers[ownHeader] !== "1")
    throw new Refusal(403, `Only requests with the header ${ownHeader}: 1 change anything.`);
}
