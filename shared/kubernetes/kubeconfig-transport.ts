import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { HttpMethod, KubeConfig, RequestContext } from "@kubernetes/client-node";
import { type Dispatcher, request as send } from "undici";
import type { Transport } from "./transport.ts";

/** Bound service account tokens rotate in their file; exec plugins renew theirs: ask client-node again this often. */
const credentialsAge = 30_000;

interface Credentials {
  headers: Record<string, string>;
  dispatcher: Dispatcher | undefined;
  at: number;
}

/**
 * A transport to a real API server. client-node finds the cluster and signs in: the given kubeconfig file, else
 * `KUBECONFIG` or `~/.kube/config`, else the pod's service account; certificates, tokens, exec and OIDC plugins, proxies.
 * Requests then go out through undici as they are, because client-node's models would drop fields they do not know.
 * Answers are asked for in gzip, which the API server sends for bodies above 128 KiB.
 *
 * @throws Error when the kubeconfig cannot be read or names no cluster.
 */
export function kubeconfigTransport(file?: string): Transport {
  const config = new KubeConfig();
  if (file) config.loadFromFile(file);
  else config.loadFromDefault();
  const server = config.getCurrentCluster()?.server.replace(/\/+$/, "");
  if (!server) throw new Error(`The kubeconfig ${file ?? "found by default"} has no current context with a cluster.`);

  let credentials: Promise<Credentials> | undefined;
  let agent: Dispatcher | undefined;
  async function signIn(): Promise<Credentials> {
    const context = new RequestContext(`${server}/`, HttpMethod.GET);
    await config.applySecurityAuthentication(context);
    // client-node makes a new dispatcher each time; one is kept, so that connections are.
    agent ??= context.getDispatcher() as Dispatcher | undefined;
    return { headers: lowerCase(context.getHeaders()), dispatcher: agent, at: Date.now() };
  }
  async function current(): Promise<Credentials> {
    credentials ??= signIn();
    const known = await credentials;
    if (Date.now() - known.at < credentialsAge) return known;
    credentials = signIn();
    return credentials;
  }
  function forget(): void {
    credentials = undefined;
    agent = undefined;
  }

  return async ({ method, path, headers, body, signal }) => {
    const { headers: identity, dispatcher } = await current().catch((error) => {
      forget();
      throw error;
    });
    const response = await send(`${server}${path}`, {
      method,
      headers: { "user-agent": "holdfast", "accept-encoding": "gzip", ...identity, ...headers },
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
      ...(dispatcher ? { dispatcher } : {}),
      // The client sets a deadline on every call; a watch has none.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // Credentials that are refused now may have been replaced: the next call signs in anew.
    if (response.statusCode === 401) forget();
    return { status: response.statusCode, headers: flatten(response.headers), body: text(response) };
  };
}

/** A request's own `authorization` must replace the kubeconfig's, not be sent beside it. */
function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Ending the iteration early, or a broken connection, ends the decompression and the response alike. */
function text({ body, headers }: Dispatcher.ResponseData): AsyncIterable<string> {
  if (headers["content-encoding"] !== "gzip") return body.setEncoding("utf8");
  const plain = createGunzip({ chunkSize: 16 * 1024 });
  pipeline(body, plain, () => {});
  return plain.setEncoding("utf8");
}

function flatten(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value] as const],
  );
  return Object.fromEntries(entries);
}
