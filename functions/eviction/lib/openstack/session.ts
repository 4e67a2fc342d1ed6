import { z } from "zod";
import type { Clock } from "../../../../shared/clock.ts";
import type { Exchange } from "../../../../shared/system/exchange.ts";
import type { SystemRequest, SystemResponse } from "../../../../shared/system/transport.ts";
import { bodyOf, failed, failureOf } from "./answer.ts";
import type { Cloud } from "./cloud.ts";

/** Sends a request with a token, and gives out a good answer. The path is below what `rooted` makes of the URL. */
export type Send = (
  service: string,
  rooted: (url: string) => string,
  request: Partial<Pick<SystemRequest, "headers">> &
    Pick<SystemRequest, "method" | "path"> & { readonly body?: object },
) => Promise<SystemResponse>;

export interface Session {
  readonly send: Send;
  /** The time by the cloud's clock, in milliseconds since the epoch: its own times are compared with this one. */
  now(): Promise<number>;
}

interface Login {
  readonly cloud: Cloud;
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  /** How far this machine's clock is ahead of Keystone's, in milliseconds, give or take the time of the login. */
  readonly ahead: number;
  readonly catalog: z.output<typeof tokenAnswer>["token"]["catalog"];
}

const time = z
  .string()
  .transform((text) => Date.parse(text))
  .refine((at) => !Number.isNaN(at), "expected a time");
const region = z.string().nullish();
const endpoint = z.object({ interface: z.string(), region_id: region, region, url: z.string() });
const service = z.object({ type: z.string(), endpoints: z.array(endpoint) });
const tokenAnswer = z.object({ token: z.object({ issued_at: time, expires_at: time, catalog: z.array(service) }) });

/** A token is renewed so long before it ends: a request must not be under way with one that ends. Milliseconds. */
const margin = 60_000;

/** Logs in before the first request, and again when the token ends or a service refuses it; all share one login. */
export function openSession(
  exchangeTo: (root: string, what: string) => Exchange,
  readCloud: () => Promise<Cloud>,
  clock: Clock,
): Session {
  let login: Promise<Login> | undefined;

  async function logIn(): Promise<Login> {
    const cloud = await readCloud();
    const body = JSON.stringify({ auth: cloud.auth });
    const exchange = exchangeTo(cloud.authUrl, "OpenStack's auth_url");
    const response = await exchange({ method: "POST", path: "/auth/tokens", headers: json, body });
    if (response.status !== 201) throw failureOf(response, "POST /v3/auth/tokens");
    const { catalog, ...token } = bodyOf(response, "POST /v3/auth/tokens", tokenAnswer).token;
    const subject = response.headers["x-subject-token"];
    if (!subject) throw failed("unreachable", `${cloud.authUrl} gives no token. Check that it is Keystone's address.`);
    return { cloud, token: subject, expires: token.expires_at, ahead: clock.now() - token.issued_at, catalog };
  }

  async function current(used?: Login): Promise<Login> {
    const begun = login;
    const known = await begun?.catch(() => undefined);
    if (known && known !== used && known.expires - margin > clock.now() - known.ahead) return known;
    // Another request may have begun meanwhile.
    if (login === begun) login = logIn();
    return login as Promise<Login>;
  }

  /** A catalog that lacks something may have it with the next login: it is as old as the token. */
  function endpointIn(used: Login, service: string): string {
    try {
      return endpointOf(used, service);
    } catch (error) {
      login = undefined;
      throw error;
    }
  }

  const send: Send = async (service, rooted, { method, path, headers, body }) => {
    let used: Login | undefined;
    for (;;) {
      const login = await current(used);
      const root = rooted(endpointIn(login, service));
      const sent = { ...json, ...headers, "x-auth-token": login.token };
      const exchange = exchangeTo(root, `The ${service} endpoint of OpenStack's catalog`);
      const response = await exchange({ method, path, headers: sent, ...(body ? { body: JSON.stringify(body) } : {}) });
      if (response.status >= 200 && response.status < 300) return response;
      if (response.status !== 401 || used) throw failureOf(response, `${method} ${path.split("?")[0]}`);
      used = login;
    }
  };

  return { send, now: async () => clock.now() - (await current()).ahead };
}

const json = { accept: "application/json", "content-type": "application/json" };

function endpointOf({ cloud, catalog }: Login, service: string): string {
  const of = catalog.filter(({ type }) => type === service).flatMap(({ endpoints }) => endpoints);
  const regionOf = (endpoint: (typeof of)[number]) => endpoint.region_id ?? endpoint.region ?? undefined;
  const found = of.filter(
    (endpoint) =>
      endpoint.interface === cloud.interface && (cloud.region === undefined || regionOf(endpoint) === cloud.region),
  );
  if (found[0] && new Set(found.map(regionOf)).size === 1) return found[0].url;
  const there = [...new Set(of.map((endpoint) => `${endpoint.interface} in ${regionOf(endpoint)}`))].join(", ");
  const wanted = `the interface ${cloud.interface}${cloud.region ? ` in the region ${cloud.region}` : ""}`;
  const message = found[0]
    ? `OpenStack's catalog has the service ${service} in several regions (${there}). Name one in OS_REGION_NAME, or ` +
      "in region_name of clouds.yaml."
    : `OpenStack's catalog has no service ${service} with ${wanted}; it has: ${there || "none"}. Correct ` +
      "OS_REGION_NAME and OS_INTERFACE, or region_name and interface of clouds.yaml.";
  throw failed("refused", message);
}
