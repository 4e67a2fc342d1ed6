import { Readable } from "node:stream";
import { UserError } from "../../../shared/command/user-error.ts";
import type { Challenge } from "./challenge.ts";
import type { Credentials } from "./credentials/credentials.ts";
import { reasonOf } from "./explain.ts";
import type { Answer, Transport } from "./transport.ts";

/**
 * The `authorization` header that answers a registry's challenges, or nothing when none asks for what we have. `scopes`
 * are what is to be done, as `repository:<path>:pull,push`.
 *
 * @throws UserError when the token service refuses the credentials, or there are none for a registry that wants a
 * password
 */
export async function authorize(
  host: string,
  challenges: readonly Challenge[],
  credentials: Credentials | undefined,
  scopes: readonly string[],
  send: Transport,
): Promise<string | undefined> {
  const bearer = challenges.find(({ scheme }) => scheme === "bearer");
  if (bearer) return `Bearer ${await fetchToken(host, bearer, credentials, scopes, send)}`;
  const basic = challenges.some(({ scheme }) => scheme === "basic");
  return basic && credentials && "user" in credentials ? basicOf(credentials) : undefined;
}

const basicOf = ({ user, password }: { user: string; password: string }) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** The token service is another server than the registry, most often; what it gives is good for minutes. */
async function fetchToken(
  host: string,
  { parameters: { realm, service } }: Challenge,
  credentials: Credentials | undefined,
  scopes: readonly string[],
  send: Transport,
): Promise<string> {
  if (!realm || !URL.canParse(realm))
    throw new UserError(`The registry ${host} does not say where its tokens are from.`);
  const answer = await askFor(new URL(realm), service, credentials, scopes, send).catch((error: Error) => {
    throw new UserError(`${realm}, where ${host} has its tokens from, cannot be reached: ${error.message}.`);
  });
  if (answer.status !== 200) {
    const login = credentials ? `the login from ${credentials.origin}` : "a client without a login";
    throw new UserError(`${realm} gives ${login} no token for ${host}: ${await reasonOf(answer)}.`);
  }
  const given = readToken(await answer.body.text());
  if (!given) throw new UserError(`${realm} has answered without a token for ${host}.`);
  return given;
}

/** Some services know it by the one name, some by the other. */
function readToken(text: string): string | undefined {
  try {
    const { token, access_token } = JSON.parse(text) as { token?: string; access_token?: string };
    return token ?? access_token;
  } catch {
    return undefined;
  }
}

function askFor(
  realm: URL,
  service: string | undefined,
  credentials: Credentials | undefined,
  scopes: readonly string[],
  send: Transport,
): Promise<Answer> {
  if (credentials && "identityToken" in credentials) {
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: credentials.identityToken,
      client_id: "holdfast",
      scope: scopes.join(" "),
      ...(service ? { service } : {}),
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return send({ method: "POST", url: realm.href, headers, body: async () => Readable.from([String(form)]) });
  }
  if (service) realm.searchParams.set("service", service);
  for (const scope of scopes) realm.searchParams.append("scope", scope);
  return send({ method: "GET", url: realm.href, headers: credentials ? { authorization: basicOf(credentials) } : {} });
}
