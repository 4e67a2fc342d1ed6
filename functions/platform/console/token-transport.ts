import { readFileSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { bodyOf, sendRequest } from "../../../shared/http/send-request.ts";
import type { Transport } from "../../../shared/kubernetes/transport.ts";
import { SettingsError } from "../../../shared/settings.ts";
import type { Settings } from "./declaration.ts";

/** An idle connection is given up before the API server gives it up, after 90 s. */
const idle = 30_000;

/**
 * Makes transports to the pod's own cluster, each with the token of a user: the pod has none. Users share connections,
 * and nothing else.
 *
 * @throws SettingsError when the API server or its certificate cannot be found
 */
export function tokenTransports(
  { apiServer, authority }: Pick<Settings, "apiServer" | "authority">,
  environment: Readonly<Record<string, string | undefined>>,
): (token: string) => Transport {
  const server = apiServer.replace(/\/+$/, "") || inCluster(environment);
  const agent = server.startsWith("https:")
    ? new HttpsAgent({ keepAlive: true, timeout: idle, ca: readAuthority(authority) })
    : new HttpAgent({ keepAlive: true, timeout: idle });
  return (token) =>
    async ({ method, path, headers, body: content, signal }) => {
      const sent = {
        "user-agent": "holdfast-console",
        "accept-encoding": "gzip",
        ...(content === undefined ? {} : { "content-length": Buffer.byteLength(content) }),
        ...headers,
        authorization: `Bearer ${token}`,
      };
      const options = { agent, method, headers: sent, ...(signal ? { signal } : {}) };
      const response = await sendRequest(`${server}${path}`, options, content);
      const { statusCode: status = 0, headers: received } = response;
      const flat = Object.entries(received).map(([name, value]) => [name, String(value)]);
      const bytes = bodyOf(response);
      const body = { [Symbol.asyncIterator]: () => bytes.setEncoding("utf8")[Symbol.asyncIterator]() };
      return { status, headers: Object.fromEntries(flat), body, bytes };
    };
}

function inCluster({
  KUBERNETES_SERVICE_HOST: host,
  KUBERNETES_SERVICE_PORT: port = "443",
}: NodeJS.ProcessEnv): string {
  if (!host) throw new SettingsError("Outside of a cluster, API_SERVER must say where the API server is.");
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new SettingsError(`AUTHORITY is ${JSON.stringify(file)}: it cannot be read. ${(cause as Error).message}.`, {
      cause,
    });
  }
}
