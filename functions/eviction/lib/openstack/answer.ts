import type { ZodType } from "zod";
import { SystemError, type SystemFailure } from "../../../../shared/system/system-error.ts";
import type { SystemResponse } from "../../../../shared/system/transport.ts";

/** OpenStack has understood a request, and refuses it: 400, 404, 409 and the like. */
export class OpenStackRefusal extends SystemError {
  readonly status: number;
  constructor(request: string, status: number, said: string) {
    super("OpenStack", "refused", `OpenStack refused ${request} with ${status}: ${said}`);
    this.status = status;
  }
}

/** The answer; `undefined` where OpenStack refuses with one of these statuses. */
export async function unlessRefused<T>(asked: Promise<T>, ...statuses: readonly number[]): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof OpenStackRefusal && statuses.includes(error.status)) return undefined;
    throw error;
  }
}

/** The body in its shape. @throws SystemError `unreachable` when it is a proxy's page, or half a body */
export function bodyOf<T>({ status, body }: SystemResponse, request: string, shape: ZodType<T>): T {
  const parsed = shape.safeParse(jsonOf(body));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const what = jsonOf(body) === undefined ? `no JSON (${body.length} characters)` : `${issue?.path.join(".")} is wrong`;
  throw failed("unreachable", `The answer ${status} to ${request} is not OpenStack's: ${what}. ${lookAtAddress}`);
}

/** The error of an answer that is no success. */
export function failureOf({ status, headers, body }: SystemResponse, request: string): SystemError {
  const said = saidIn(body);
  if (status >= 300 && status < 400) {
    const to = headers.location ? ` to ${headers.location}` : "";
    const redirects = `OpenStack redirects ${request}${to} (${status}), and the token is not sent there`;
    return failed("refused", `${redirects}. ${lookAtAddress}`);
  }
  if (status === 429 || status === 503) {
    const seconds = Number(headers["retry-after"]);
    const options = Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds * 1000 } : {};
    const message = `OpenStack answered ${request} with ${status}. Holdfast asks again later.`;
    return new SystemError("OpenStack", "overloaded", message, options);
  }
  if (status === 401)
    return failed("unauthorized", `OpenStack does not accept the login for ${request}: ${said ?? status}.`);
  if (status === 403)
    return failed(
      "unauthorized",
      `OpenStack forbids ${request}: ${(said ?? "403").replace(/\.$/, "")}. Give the account the role admin.`,
    );
  // Without OpenStack's own words it may be a proxy that answers for it.
  if (status >= 400 && status < 500 && said !== undefined) return new OpenStackRefusal(request, status, said);
  const answered = `OpenStack answered ${request} with ${status}${said ? `: ${said}` : ""}`;
  return failed("unreachable", `${answered}. ${lookAtAddress}`);
}

const lookAtAddress =
  "Check what answers at the address in OpenStack's catalog and in auth_url, and which proxy is before it.";
/** An error of OpenStack that is no refusal of one request. */
export const failed = (failure: SystemFailure, message: string) => new SystemError("OpenStack", failure, message);

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The words of `{"<kind of fault>": {"message": …}}`; of Ironic, whose `faultstring` is mostly in a text of JSON. */
function saidIn(body: string): string | undefined {
  const [fault] = Object.values((jsonOf(body) ?? {}) as Record<string, unknown>);
  const { message, faultstring } = Object((typeof fault === "string" ? jsonOf(fault) : fault) ?? {});
  const said = message ?? faultstring;
  return typeof said === "string" ? said.replaceAll(/\s+/g, " ").trim() : undefined;
}

/** A list of all pages: the last one of a page is the marker of the next. */
export async function allPages<T>(
  get: <A>(path: string, shape: ZodType<A>) => Promise<A>,
  path: string,
  query: Readonly<Record<string, string>>,
  shape: ZodType<{ readonly found: T[]; readonly more?: object | undefined }>,
  markerOf: (one: T) => string | undefined,
): Promise<readonly T[]> {
  const list: T[] = [];
  for (let marker: string | undefined = ""; marker !== undefined; ) {
    const url: string = `${path}?${new URLSearchParams({ ...query, ...(marker && { marker }) })}`;
    const { found, more } = await get(url, shape);
    list.push(...found);
    marker = more && found.slice(-1).map(markerOf)[0];
  }
  return list;
}
