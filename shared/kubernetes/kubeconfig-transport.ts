import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { KubeConfig } from "@kubernetes/client-node";
import type { ApiRequest, Transport } from "./transport.ts";

/** Bound service account tokens rotate in their file; exec plugins renew theirs: ask client-node again this often. */
const credentialsAge = 30_000;

/** An idle connection is given up before the API server gives it up (after 90 s), so that no request runs into its end. */
const idle = 30_000;

/** TLS options and the header that signs in, as client-node works them out. */
interface Credentials extends RequestOptions {
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A transport to a real API server. client-node finds the cluster and signs in: the given kubeconfig file, else
 * `KUBECONFIG` or `~/.kube/config`, else the pod's service account; certificates, tokens, exec and OIDC plugins, proxies.
 * Requests then go out as they are, because client-node's models would drop fields they do not know, and through Node's
 * own client: undici, which client-node prefers, keeps what it has read until the next full garbage collection, so that a
 * function's memory would grow with the lists it reads. Answers are asked for in gzip, which the API server sends for
 * bodies above 128 KiB.
 *
 * @throws Error when the kubeconfig cannot be read or names no cluster.
 */
export function kubeconfigTransport(file?: string): Transport {
  const config = new KubeConfig();
  if (file) config.loadFromFile(file);
  else config.loadFromDefault();
  const cluster = config.getCurrentCluster();
  if (!cluster?.server)
    throw new Error(`The kubeconfig ${file ?? "found by default"} has no current context with a cluster.`);
  const server = cluster.server.replace(/\/+$/, "");
  const secure = server.startsWith("https:");
  const Agent = secure ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, timeout: idle });

  let credentials: Promise<Credentials> | undefined;
  let signedIn = 0;
  async function signIn(): Promise<Credentials> {
    signedIn = Date.now();
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    // client-node's own agent is what knows the way through a proxy, but it opens a connection for each request.
    const through = cluster?.proxyUrl ? {} : { agent };
    return { ...options, ...through, headers: lowerCase(options.headers) };
  }
  function current(): Promise<Credentials> {
    if (!credentials || Date.now() - signedIn >= credentialsAge) {
      const signing = signIn();
      credentials = signing;
      signing.catch(() => forget(signing));
    }
    return credentials;
  }
  function forget(these: Promise<Credentials> | undefined): void {
    if (credentials === these) credentials = undefined;
  }

  return async (request) => {
    const these = current();
    const response = await send(`${server}${request.path}`, secure, await these, request);
    // Credentials that are refused now may have been replaced: the next call signs in anew.
    if (response.statusCode === 401) forget(these);
    return { status: response.statusCode ?? 0, headers: flatten(response.headers), body: text(response) };
  };
}

function send(
  url: string,
  secure: boolean,
  credentials: Credentials,
  { method, headers, body, signal }: ApiRequest,
): Promise<IncomingMessage> {
  const options = {
    ...credentials,
    method,
    headers: {
      "user-agent": "holdfast",
      "accept-encoding": "gzip",
      ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
      ...credentials.headers,
      ...headers,
    },
    ...(signal ? { signal } : {}),
  };
  return new Promise((resolve, reject) => {
    const outgoing = secure ? httpsRequest(url, options, resolve) : httpRequest(url, options, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** A request's own `authorization` must replace the kubeconfig's, not be sent beside it. */
function lowerCase(headers: RequestOptions["headers"] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** Ending the iteration early, or a broken connection, ends the decompression and the response alike. */
function text(response: IncomingMessage): AsyncIterable<string> {
  if (response.headers["content-encoding"] !== "gzip") return response.setEncoding("utf8");
  const plain = createGunzip();
  pipeline(response, plain, () => {});
  return plain.setEncoding("utf8");
}

function flatten(headers: IncomingMessage["headers"]): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] as const],
  );
  return Object.fromEntries(entries);
}
