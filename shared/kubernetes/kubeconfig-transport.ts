import { type Agent, Agent as HttpAgent, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { bodyOf, sendRequest } from "../http/send-request.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";
import type { ApiRequest, Transport } from "./transport.ts";

/** Bound service account tokens rotate in their file; exec plugins renew theirs: ask client-node again this often. */
const credentialsAge = 30_000;

/**
 * An idle connection is given up before the API server gives it up (after 90 s), so that no request runs into its end.
 */
const idle = 30_000;

/**
 * A transport to a real API server. client-node finds the cluster and signs in: the given kubeconfig file, else
 * `KUBECONFIG` or `~/.kube/config`, else the pod's service account; certificates, tokens, exec and OIDC plugins,
 * proxies. Requests then go out as they are, because client-node's models would drop fields they do not know, and
 * through Node's own client: undici, which client-node prefers, keeps what it has read until the next full garbage
 * collection, so that a function's memory would grow with the lists it reads. Answers are asked for in gzip, which the
 * API server sends for bodies above 128 KiB. After a 401 everything is read and signed in again, as what was read may
 * have been replaced.
 *
 * @param context one of the kubeconfig's contexts; its current one when absent
 * @param maxSockets how many requests are sent at the same time; more wait. Each watch holds one
 * @throws Error when the kubeconfig cannot be read or names no cluster.
 */
export function kubeconfigTransport(file?: string, context?: string, maxSockets = Number.POSITIVE_INFINITY): Transport {
  const agents = {
    "http:": new HttpAgent({ keepAlive: true, timeout: idle, maxSockets }),
    "https:": new HttpsAgent({ keepAlive: true, timeout: idle, maxSockets }),
  };
  let session: Session | undefined = openSession(file, context, agents);
  return async (request) => {
    session ??= openSession(file, context, agents);
    const these = session;
    const response = await sendRequest(...(await these.address(request)));
    if (response.statusCode === 401 && session === these) session = undefined;
    const bytes = bodyOf(response);
    // The encoding is set by the reader that wants text, when it begins to read.
    const body = { [Symbol.asyncIterator]: () => bytes.setEncoding("utf8")[Symbol.asyncIterator]() };
    return { status: response.statusCode ?? 0, headers: flatten(response.headers), body, bytes };
  };
}

/** A kubeconfig as it was read, and what it signs in with. */
interface Session {
  /** The arguments that {@link sendRequest} takes. */
  address(request: ApiRequest): Promise<[url: string, options: RequestOptions, body: string | undefined]>;
}

function openSession(
  file: string | undefined,
  context: string | undefined,
  agents: Readonly<Record<"http:" | "https:", Agent>>,
): Session {
  const config = loadKubeconfig(file);
  if (context) config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  if (!cluster?.server)
    throw new Error(`The kubeconfig ${file ?? "found by default"} has no current context with a cluster.`);
  const server = cluster.server.replace(/\/+$/, "");
  const agent = agents[server.startsWith("https:") ? "https:" : "http:"];

  let credentials: Promise<RequestOptions> | undefined;
  let signedIn = 0;
  async function signIn(): Promise<RequestOptions> {
    signedIn = Date.now();
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    // client-node's own agent is what knows the way through a proxy, but it opens a connection for each request.
    return { ...options, ...(cluster?.proxyUrl ? {} : { agent }), headers: lowerCase(options.headers) };
  }
  function current(): Promise<RequestOptions> {
    if (!credentials || Date.now() - signedIn >= credentialsAge) {
      const signing = signIn();
      credentials = signing;
      // A plugin that failed may succeed at the next call.
      signing.catch(() => {
        if (credentials === signing) credentials = undefined;
      });
    }
    return credentials;
  }

  return {
    async address({ method, path, headers, body, signal }) {
      const { headers: signed, ...options } = await current();
      const all = {
        "user-agent": "holdfast",
        "accept-encoding": "gzip",
        ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
        ...signed,
        ...headers,
      };
      return [`${server}${path}`, { ...options, method, headers: all, ...(signal ? { signal } : {}) }, body];
    },
  };
}

/** A request's own `authorization` must replace the kubeconfig's, not be sent beside it. */
function lowerCase(headers: RequestOptions["headers"] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function flatten(headers: IncomingMessage["headers"]): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] as const],
  );
  return Object.fromEntries(entries);
}
