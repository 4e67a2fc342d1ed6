import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Send } from "../../eventing/send.ts";
import { listen } from "../system-server/listen.ts";

/** Answers a request as it comes; rejects where there is nothing behind its URL. */
type Pass = (url: string, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Lets processes reach `*.svc.cluster.local`, which no name server on a laptop knows. */
export type ClusterNetwork = Awaited<ReturnType<typeof openClusterNetwork>>;

/**
 * Starts an HTTP proxy on loopback that hands events to `send` by their URL, and all other requests to `pass`. Node's
 * `fetch` asks for a tunnel even for plain HTTP, its `http` sends the whole URL; both end here.
 */
export async function openClusterNetwork(send: Send, pass: Pass) {
  const tunnels = new Set<Socket>();
  const server = createServer((request, response) => {
    const url = urlOf(request, tunnels.has(request.socket));
    if (url) return void forward(send, pass, url, request, response);
    const headers = { "content-type": "text/plain; charset=utf-8" };
    response.writeHead(400, headers).end("This is a proxy: ask it for a whole URL, http://SERVICE.NAMESPACE.svc/.");
  });
  server.on("connect", (_: IncomingMessage, socket: Socket) => {
    tunnels.add(socket);
    socket.on("close", () => tunnels.delete(socket)).on("error", () => {});
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    server.emit("connection", socket);
  });
  const { port, close } = await listen(server);
  const url = `http://127.0.0.1:${port}`;
  return {
    /** The address of the proxy. */
    url,
    /**
     * What a process needs in its environment: Node.js then asks the proxy for plain HTTP, and for nothing on loopback.
     */
    environment: {
      NODE_USE_ENV_PROXY: "1",
      HTTP_PROXY: url,
      NO_PROXY: "127.0.0.1,localhost,::1",
    },
    async close() {
      const closed = close();
      for (const tunnel of tunnels) tunnel.destroy();
      await closed;
    },
  };
}

/**
 * The URL that a client asks its proxy for. `undefined` for a request to the proxy itself: such are sent by web pages,
 * which can reach every port of this machine, and must not reach a Service by a path that begins with its name, or by a
 * name that they have made lead here.
 */
function urlOf({ url = "", headers }: IncomingMessage, isTunnelled: boolean): string | undefined {
  const whole = isTunnelled && url.startsWith("/") ? `http://${headers.host}${url}` : url;
  return whole.startsWith("http://") && URL.canParse(whole) ? new URL(whole).href : undefined;
}

async function forward(
  send: Send,
  pass: Pass,
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort(new Error("The sender hung up.")));
  try {
    if (!isEvent(request)) return await pass(url, request, response);
    let body = "";
    request.setEncoding("utf8");
    for await (const chunk of request) body += chunk;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const answer = await send(url, { headers, body }, left.signal);
    response.writeHead(answer.status, answer.headers).end(answer.body || undefined);
  } catch (error) {
    // As from a proxy that knows no such host.
    if (!response.headersSent) response.writeHead(502, { "content-type": "text/plain; charset=utf-8" });
    response.end((error as Error).message);
  }
}

/** In the binary or the structured mode of CloudEvents over HTTP. */
const isEvent = ({ headers }: IncomingMessage) =>
  headers["ce-id"] !== undefined || headers["content-type"]?.startsWith("application/cloudevents") === true;
