import { SystemError } from "../../../../shared/system/system-error.ts";
import type { SystemResponse } from "../../../../shared/system/transport.ts";

/** A request as error messages speak of it. */
export interface Asked {
  /** After "Salt was asked to": `run state.sls on worker-0`. */
  readonly what: string;
  /** What the account must be granted for it, after "Grant the account storage". */
  readonly grant: string;
}

/** What salt-api says about a request with status 401, always on an HTML page and only there. */
const sentences = {
  "No permission -- see authorization schemes": "token",
  'Authentication failure of type "token" occurred.': "token",
  "Authorization error occurred.": "right",
  // Of a runner: GET /jobs is one.
  'Authentication failure of type "token" occurred for user': "right",
} as const;

/**
 * Whether a 401 is about the token (none, unknown, expired, or salt-api was restarted) or about a right that the
 * account has not; another login helps against the former only. `undefined` for a sentence that no Salt has been seen
 * to say.
 */
export function meaningOf401({ body }: SystemResponse): "token" | "right" | undefined {
  const paragraph = sentenceOf(body);
  // From the longest on: two begin alike.
  for (const [sentence, meaning] of Object.entries(sentences).toSorted(([a], [b]) => b.length - a.length))
    if (paragraph.startsWith(sentence.replace(/\.$/, ""))) return meaning;
  return undefined;
}

/** The error for a 401 that another login does not help against. */
export function unauthorized(asked: Asked, username: string, response: SystemResponse): SystemError {
  return new SystemError(
    "Salt",
    "unauthorized",
    `Salt does not let the account ${username} ${asked.what}: ${quote(response)}. Grant it ${asked.grant} ` +
      "in external_auth of the Salt master, and restart the master.",
  );
}

/** The error of any other status than 200. */
export function refusalOf(asked: Asked, response: SystemResponse): SystemError {
  const { status, headers } = response;
  const failed = `Salt was asked to ${asked.what}, and answered with HTTP ${status}: ${quote(response)}.`;
  if (status === 400)
    return new SystemError(
      "Salt",
      "refused",
      `${failed} List local, local_async and runner in netapi_enable_clients of the Salt master, and restart salt-api.`,
    );
  const seconds = Number(headers["retry-after"]);
  const pause = Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds * 1000 } : {};
  if (status === 429 || (status === 503 && pause.retryAfter !== undefined))
    return new SystemError("Salt", "overloaded", `${failed} It is asked again later.`, pause);
  // Among the rest 500, with which salt-api answers what fails between it and the master, and pages of proxies.
  return new SystemError(
    "Salt",
    "unreachable",
    `${failed} Look whether the Salt master and salt-api run, and whether SALT_URL is right.`,
  );
}

/** What a page says in its paragraph, or the beginning of any other answer. */
function quote({ body }: SystemResponse): string {
  const paragraph = sentenceOf(body).replace(/\.$/, "");
  return paragraph === "" ? "nothing" : `"${paragraph.length > 200 ? `${paragraph.slice(0, 199)}…` : paragraph}"`;
}

const sentenceOf = (body: string) => (/<p>(.*?)<\/p>/s.exec(body)?.[1] ?? body).replaceAll(/\s+/g, " ").trim();
