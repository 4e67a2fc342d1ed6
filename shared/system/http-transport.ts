import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent, type RequestOptions } from "node:https";
import { sendRequest } from "../http/send-request.ts";
import type { SystemTools } from "./system.ts";
import type { SystemTransport } from "./transport.ts";

/**
 * No answer of a system that is read whole is longer; one that is comes from something else, or would not fit into
 * memory.
 */
const longestAnswer = 32 * 1024 * 1024;

/**
 * An idle connection is given up before the other side does, so that no command runs into its end: CherryPy, on which
 * salt-api stands, does by default after 10 s, LINSTOR's Grizzly after 30. Milliseconds.
 */
const idle = 5_000;

/** What one process may ask of a system at the same time, as of the API server. */
const requestsAtOnce = 32;

/**
 * A transport to the system at `root` (a URL without a slash at its end). Over TLS the credentials `ca.crt`, and
 * `tls.crt` with `tls.key`, are used where they are there, and read for each request, because Secrets are renewed in
 * place. Redirects are not followed: they could take credentials elsewhere.
 */
export function httpTransport(root: string, credential: SystemTools<unknown>["credential"]): SystemTransport {
  const secure = root.startsWith("https:");
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, timeout: idle, maxSockets: requestsAtOnce });
  return async ({ method, path, headers, body, signal }) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options: RequestOptions = {
      method,
      agent,
      headers: { "user-agent": "holdfast", ...length, ...headers },
      ...(secure ? await tlsOf(credential) : {}),
      ...(signal ? { signal } : {}),
    };
    const response = await sendRequest(`${root}${path}`, options, body);
    const chunks: Buffer[] = [];
    let received = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > longestAnswer) throw new Error(`its answer is longer than ${longestAnswer / 1024 / 1024} MiB`);
      chunks.push(chunk);
    }
    if (!response.complete) throw new Error("its answer was cut off");
    const flat = Object.entries(response.headers).map(([name, value]) => [name, String(value ?? "")]);
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(flat),
      body: Buffer.concat(chunks).toString("utf8"),
    };
  };
}

async function tlsOf(credential: SystemTools<unknown>["credential"]): Promise<RequestOptions> {
  const [ca, cert, key] = await Promise.all(["ca.crt", "tls.crt", "tls.key"].map(credential));
  return { ...(ca ? { ca } : {}), ...(cert && key ? { cert, key } : {}) };
}
