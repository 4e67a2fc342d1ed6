import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { get } from "node:http";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { tokenTransports } from "../../../functions/platform/console/token-transport.ts";
import { createConsole } from "../../../functions/platform/lib/console/console.ts";
import type { SignIn } from "../../../functions/platform/lib/console/sign-in.ts";
import { createLog } from "../../../shared/log.ts";
import { cookieOf, keyFile, listen, type Served, serveFunction, serveOnLoopback } from "./served.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const claims = "/cluster/api/v1/persistentvolumeclaims";

/** An API server that notes what reaches it, knows the tokens `mine` and `other`, and answers as a test sets. */
async function apiServer(answer: (request: IncomingMessage, response: ServerResponse) => void = () => {}) {
  const seen: Seen[] = [];
  const known: Record<string, string> = { "Bearer mine": "anna", "Bearer other": "ben" };
  const port = await listen(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body });
    response.setHeader("content-type", "application/json");
    const username = known[headers.authorization ?? ""];
    if (!username) return response.writeHead(401).end(JSON.stringify({ kind: "Status", message: "Unauthorized" }));
    if (url?.endsWith("/selfsubjectreviews"))
      return response.writeHead(201).end(JSON.stringify({ status: { userInfo: { username } } }));
    answer(request, response);
    if (!response.headersSent) response.end(JSON.stringify({ items: [], of: username }));
    return undefined;
  });
  return { url: `http://127.0.0.1:${port}`, seen, forget: (token: string) => delete known[`Bearer ${token}`] };
}

/** Signs in with a token, as the form does, and returns the cookie. */
async function signIn({ ask }: Served, token = "mine"): Promise<string> {
  const answer = await ask({ method: "POST", path: "/session", body: { token } });
  expect(answer.status).toBe(204);
  return cookieOf(answer);
}

describe("pages", () => {
  test("every address of a page answers index.html, and assets are kept for good", async () => {
    const { ask } = await serveFunction("http://127.0.0.1:9");
    for (const path of ["/", "/volumes", "/object/pvc/shop/data-web-0", "/a?b=../c"]) {
      const page = await ask({ path });
      expect([page.status, page.headers["content-type"], page.headers["cache-control"]]).toEqual([
        200,
        "text/html; charset=utf-8",
        "no-cache",
      ]);
      expect(page.body).toContain("<title>Holdfast</title>");
    }
    const script = await ask({ path: "/assets/main-ABC.js" });
    expect(script.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
    });
  });

  test.each([
    ["gzip, deflate", "gzip", "packed"],
    ["gzip, br;q=1.0", "br", "packed more"],
    ["identity", undefined, "console.log(1)"],
  ])("a script goes out packed to who takes %j: %s", async (taken, encoding, body) => {
    const { ask } = await serveFunction("http://127.0.0.1:9");
    const packed = await ask({ path: "/assets/main-ABC.js", headers: { "accept-encoding": taken } });
    expect([packed.headers["content-encoding"], packed.body]).toEqual([encoding, body]);
  });

  test.each(["/assets/../secret.txt", "/assets/..%2f..%2fsecret.txt", "/assets/other.js", "/assets/main-ABC.js/"])(
    "%s is no file",
    async (path) => {
      const { ask } = await serveFunction("http://127.0.0.1:9");
      expect((await ask({ path })).status).toBe(404);
    },
  );

  test("every answer, refusals too, lets no script run that is not ours, and is framed by no one", async () => {
    const { ask } = await serveFunction("http://127.0.0.1:9");
    for (const path of ["/", "/assets/none.js", "/session", "/cluster/api/v1/secrets", "/health/live"]) {
      const { headers } = await ask({ path });
      const policy = headers["content-security-policy"] ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
    }
  });
});

describe("by token", () => {
  test("a token becomes an encrypted cookie, with which requests carry it", async () => {
    const api = await apiServer();
    const served = await serveFunction(api.url);
    expect((await served.ask({ path: "/session" })).json).toEqual({ signedIn: false, user: null, how: "token" });
    const answer = await served.ask({ method: "POST", path: "/session", body: { token: " mine\n" } });
    const [set = ""] = answer.headers["set-cookie"] ?? [];
    expect(set).toMatch(/^holdfast-console=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(set).not.toContain("mine");
    const cookie = cookieOf(answer);
    expect((await served.ask({ path: "/session", headers: { cookie } })).json).toEqual({
      signedIn: true,
      user: "anna",
      how: "token",
    });
    const list = await served.ask({ path: `${claims}?limit=500`, headers: { cookie } });
    expect([list.status, list.json]).toEqual([200, { items: [], of: "anna" }]);
    expect(list.headers["cache-control"]).toBe("no-store");
    expect(api.seen.at(-1)).toMatchObject({ url: "/api/v1/persistentvolumeclaims?limit=500" });
  });

  test("over HTTPS the cookie is Secure, and bound to the host", async () => {
    const { ask } = await serveFunction((await apiServer()).url);
    const headers = { "x-forwarded-proto": "https" };
    const answer = await ask({ method: "POST", path: "/session", headers, body: { token: "mine" } });
    expect(answer.headers["set-cookie"]?.[0]).toMatch(/^__Host-holdfast-console=.*; Secure$/);
    const cookie = cookieOf(answer);
    expect((await ask({ path: claims, headers: { ...headers, cookie } })).status).toBe(200);
    expect((await ask({ path: claims, headers: { cookie } })).status).toBe(401);
  });

  test("a token that the API server does not accept opens nothing", async () => {
    const { ask } = await serveFunction((await apiServer()).url);
    const answer = await ask({ method: "POST", path: "/session", body: { token: "wrong" } });
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([401, undefined]);
    expect(answer.json.message).toMatch(/^The API server does not accept this token\. /);
  });

  test.each([[""], ["a b"], ["a\r\nimpersonate-user: admin"], ["é"], [7]])("%j is no token", async (token) => {
    const { ask } = await serveFunction((await apiServer()).url);
    expect((await ask({ method: "POST", path: "/session", body: { token } })).status).toBe(400);
  });

  test("a token that is longer than a cookie is refused, with what helps", async () => {
    const { ask } = await serveFunction((await apiServer()).url);
    const answer = await ask({ method: "POST", path: "/session", body: { token: "a".repeat(2_801) } });
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining("Use an OIDC proxy.")]);
  });

  test("two replicas read each other's cookies, and another key reads none", async () => {
    const api = await apiServer();
    const cookie = await signIn(await serveFunction(api.url));
    const second = await serveFunction(api.url);
    expect((await second.ask({ path: claims, headers: { cookie } })).json.of).toBe("anna");
    const elsewhere = await serveFunction(api.url, { file: keyFile(Buffer.alloc(32, 1).toString("base64")) });
    expect((await elsewhere.ask({ path: claims, headers: { cookie } })).status).toBe(401);
  });

  test("without a key, or with a short one, it says which Secret to make", async () => {
    for (const file of ["/nonexistent/key", keyFile("c2hvcnQ=")]) {
      const { ask } = await serveFunction((await apiServer()).url, { file });
      const answer = await ask({ method: "POST", path: "/session", body: { token: "mine" } });
      expect(answer.status).toBe(503);
      expect(answer.json.message).toContain("kubectl create secret generic holdfast-console -n holdfast");
    }
  });

  test("a cookie that was changed is none", async () => {
    const api = await apiServer();
    const served = await serveFunction(api.url);
    const cookie = await signIn(served);
    const reached = api.seen.length;
    const middle = Math.floor(cookie.length / 2);
    const changed = `${cookie.slice(0, middle)}${cookie[middle] === "A" ? "B" : "A"}${cookie.slice(middle + 1)}`;
    for (const wrong of ["", changed, "holdfast-console=mine", `other=${cookie.split("=")[1]}`])
      expect((await served.ask({ path: claims, headers: { cookie: wrong } })).status).toBe(401);
    expect(api.seen).toHaveLength(reached);
  });

  test("a cookie ends with its token", async () => {
    const api = await apiServer();
    const { ask } = await serveFunction(api.url);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const ended = `${part({ alg: "none" })}.${part({ exp: Math.floor(Date.now() / 1000) - 60 })}.x`;
    const answer = await ask({ method: "POST", path: "/session", body: { token: ended } });
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([401, undefined]);
  });

  test("a token that expires later: the 401 passes on, and the cookie is deleted", async () => {
    const api = await apiServer();
    const served = await serveFunction(api.url);
    const cookie = await signIn(served);
    api.forget("mine");
    const answer = await served.ask({ path: claims, headers: { cookie } });
    expect([answer.status, answer.json.message]).toEqual([401, "Unauthorized"]);
    expect(answer.headers["set-cookie"]?.[0]).toMatch(/^holdfast-console=; .*Max-Age=0$/);
    const session = await served.ask({ path: "/session", headers: { cookie } });
    expect([session.json.signedIn, session.headers["set-cookie"]?.length]).toEqual([false, 1]);
  });

  test("signing out deletes the cookie", async () => {
    const served = await serveFunction((await apiServer()).url);
    const answer = await served.ask({ method: "DELETE", path: "/session", headers: { cookie: await signIn(served) } });
    expect([answer.status, answer.headers["set-cookie"]?.[0]]).toEqual([204, expect.stringContaining("Max-Age=0")]);
  });

  test("two users at once are two users", async () => {
    const served = await serveFunction((await apiServer()).url);
    const cookies = await Promise.all([signIn(served, "mine"), signIn(served, "other")]);
    const asked = Array.from({ length: 40 }, (_, index) =>
      served.ask({ path: claims, headers: { cookie: cookies[index % 2] as string } }),
    );
    const users = (await Promise.all(asked)).map(({ json }) => json.of);
    expect(users).toEqual(Array.from({ length: 40 }, (_, index) => (index % 2 ? "ben" : "anna")));
  });
});

describe("through a proxy", () => {
  test("the token that it forwards is the user's, and no token is pasted", async () => {
    const { ask } = await serveFunction((await apiServer()).url, { proxy: true });
    const headers = { authorization: "Bearer other" };
    expect((await ask({ path: "/session", headers })).json).toEqual({ signedIn: true, user: "ben", how: "proxy" });
    expect((await ask({ path: claims, headers })).json.of).toBe("ben");
    expect((await ask({ path: "/session" })).json).toEqual({ signedIn: false, user: null, how: "proxy" });
    expect((await ask({ path: claims })).status).toBe(401);
    expect((await ask({ path: claims, headers: { authorization: "Basic b3RoZXI=" } })).status).toBe(401);
    expect((await ask({ method: "POST", path: "/session", body: { token: "mine" } })).status).toBe(404);
  });

  test("with an address of its own, only pages of this address change anything", async () => {
    const { ask } = await serveFunction((await apiServer()).url, { proxy: true, origin: "https://console.example" });
    const change = (headers: Record<string, string>) =>
      ask({
        method: "PATCH",
        path: "/cluster/api/v1/namespaces/shop",
        headers: { authorization: "Bearer mine", ...headers },
        body: { metadata: { annotations: { "holdfast.dev/successor-of": "u" } } },
      });
    expect((await change({ origin: "https://console.example" })).status).toBe(200);
    expect((await change({ origin: "https://evil.example" })).status).toBe(403);
    expect((await change({ origin: "http://console.example", "sec-fetch-site": "" })).status).toBe(403);
  });
});

describe("only pages of the console change anything, or read", () => {
  const patch = { method: "PATCH", path: "/cluster/api/v1/namespaces/shop" } as const;
  const body = { metadata: { annotations: { "holdfast.dev/successor-of": "u" } } };

  test.each([
    ["its own page", {}, 200],
    ["its own origin in an older browser", { "sec-fetch-site": "", origin: "own" }, 200],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["another port of the host", { "sec-fetch-site": "same-site" }, 403],
    ["an address that was typed", { "sec-fetch-site": "none" }, 403],
    ["another origin in an older browser", { "sec-fetch-site": "", origin: "http://evil.example" }, 403],
    ["an origin that is null", { "sec-fetch-site": "", origin: "null" }, 403],
    ["neither origin nor site", { "sec-fetch-site": "" }, 403],
    ["no header of the console", { "x-holdfast-console": "" }, 403],
    ["another value of it", { "x-holdfast-console": "2" }, 403],
  ])("a change from %s", async (_, changed: Record<string, string>, status) => {
    const api = await apiServer();
    const served = await serveFunction(api.url);
    const cookie = await signIn(served);
    const origin = changed.origin === "own" ? { origin: `http://127.0.0.1:${served.port}` } : {};
    const reached = api.seen.length;
    const answer = await served.ask({ ...patch, headers: { cookie, ...changed, ...origin }, body });
    expect([answer.status, api.seen.length - reached]).toEqual([status, status === 200 ? 1 : 0]);
  });

  test.each([
    ["cross-site", 403],
    ["same-site", 403],
    ["same-origin", 200],
    ["none", 200],
  ])("a read from %s", async (site, status) => {
    const served = await serveFunction((await apiServer()).url);
    const headers = { cookie: await signIn(served), "sec-fetch-site": site };
    expect((await served.ask({ path: claims, headers })).status).toBe(status);
  });

  test("another site cannot sign its own token in, and gets no CORS", async () => {
    const { ask } = await serveFunction((await apiServer()).url);
    const headers = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
    const answer = await ask({ method: "POST", path: "/session", headers, body: { token: "mine" } });
    const before = await ask({ method: "OPTIONS", path: claims, headers });
    expect([answer.status, before.status]).toEqual([403, 403]);
    expect(Object.keys({ ...answer.headers, ...before.headers }).join()).not.toContain("access-control");
  });
});

test("no header of a browser reaches the API server", async () => {
  const api = await apiServer();
  const served = await serveFunction(api.url);
  const smuggled = {
    accept: "application/vnd.kubernetes.protobuf",
    authorization: "Bearer other",
    "impersonate-user": "admin",
    "impersonate-group": ["system:masters", "b"],
    "impersonate-extra-a": "b",
    "x-remote-user": "admin",
    "x-remote-group": "system:masters",
    "x-forwarded-for": "10.0.0.1",
    connection: "keep-alive, x-drop",
    upgrade: "websocket",
    te: "trailers",
    range: "bytes=0-1",
    "x-http-method-override": "DELETE",
  };
  const headers = { ...smuggled, cookie: await signIn(served) };
  const answer = await served.ask({ path: claims, headers });
  expect(answer.json.of).toBe("anna");
  const { host: _, connection, ...sent } = api.seen.at(-1)?.headers ?? {};
  expect(sent).toEqual({
    accept: "application/json",
    "accept-encoding": "gzip",
    authorization: "Bearer mine",
    "user-agent": "holdfast-console",
  });
  expect(connection).toBe("keep-alive");
});

test.each([
  ["two lengths", "Content-Length: 0\r\nContent-Length: 30"],
  ["a length beside chunks", "Content-Length: 0\r\nTransfer-Encoding: chunked"],
  ["an encoding that is none", "Transfer-Encoding: chunked, identity"],
  ["a folded header", "X-A: b\r\n Impersonate-User: admin\r\nContent-Length: 0\r\nBad Name: c"],
])("a request that two servers might read differently is not read: %s", async (_, headers) => {
  const api = await apiServer();
  const { port } = await serveFunction(api.url, { proxy: true });
  const socket = connect(port, "127.0.0.1");
  const hidden = `GET ${claims} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer mine\r\n\r\n`;
  socket.write(`POST /session HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${hidden}`);
  const answer = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(api.seen).toEqual([]);
});

test("what is not on the list does not reach the API server", async () => {
  const api = await apiServer();
  const served = await serveFunction(api.url);
  const cookie = await signIn(served);
  const reached = api.seen.length;
  for (const path of [
    "/cluster/api/v1/secrets",
    "/cluster/api/v1/pods/..%2fsecrets",
    "/cluster/api/v1/pods/../secrets",
    "/cluster//api/v1/secrets",
    "/watch?path=/api/v1/secrets?watch=1",
    "/watch?path=/api/v1/pods",
    "/watch",
  ]) {
    const answer = await served.ask({ path, headers: { cookie } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers["x-holdfast-console"]).toBe("refused");
    expect(answer.json.message).toMatch(/^[A-Z].*\.$/);
  }
  const long = await served.ask({
    method: "POST",
    path: "/cluster/apis/storage.metalk8s.scality.com/v1alpha1/volumes",
    headers: { cookie },
    body: "a".repeat(5 * 1024 * 1024),
  });
  expect([long.status, api.seen.length]).toEqual([413, reached]);
});

describe("an API server that misbehaves", () => {
  const read = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
    const served = await serveFunction((await apiServer(answer)).url);
    const cookie = await signIn(served);
    return { ...served, list: () => served.ask({ path: claims, headers: { cookie } }) };
  };

  test("a redirect is not followed, and its address is not passed on", async () => {
    const { list } = await read((_, response) => response.writeHead(302, { location: "http://evil.example/" }).end());
    const answer = await list();
    expect([answer.status, answer.headers.location]).toEqual([502, undefined]);
    expect(answer.json.message).toContain("answers with 302");
  });

  test("its cookies and its page are not ours: what is no JSON is text", async () => {
    const { list } = await read((_, response) => {
      response.writeHead(200, { "content-type": "text/html", "set-cookie": "a=b", "access-control-allow-origin": "*" });
      response.end("<img src=x onerror=alert(1)>");
    });
    const { headers, body } = await list();
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect([headers["set-cookie"], headers["access-control-allow-origin"]]).toEqual([undefined, undefined]);
    expect(body).toBe("<img src=x onerror=alert(1)>");
  });

  test("an answer that says it is 100 MB is refused before it is read", async () => {
    const { list } = await read((_, response) => response.writeHead(200, { "content-length": 100_000_000 }).write("{"));
    const answer = await list();
    expect([answer.status, answer.json.message]).toEqual([502, expect.stringContaining("larger than 32 MiB")]);
  });

  test("an answer of 100 MB that does not say so breaks off, and is not kept", async () => {
    let sent = 0;
    const { list } = await read((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const piece = Buffer.alloc(1_000_000, 32);
      const more = () => {
        while (sent < 100_000_000 && !response.destroyed) {
          sent += piece.length;
          if (!response.write(piece)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    });
    await expect(list()).rejects.toThrow("aborted");
    expect(sent).toBeLessThan(60_000_000);
  });

  test("refusals of its own pass on word by word", async () => {
    const status = { kind: "Status", message: 'persistentvolumes "<img onerror>" is forbidden', code: 403 };
    const { list } = await read((_, response) => response.writeHead(403).end(JSON.stringify(status)));
    const answer = await list();
    expect([answer.status, answer.json]).toEqual([403, status]);
    expect(answer.headers["x-holdfast-console"]).toBeUndefined();
  });

  test("one that is away is said to be", async () => {
    const { ask } = await serveFunction("http://127.0.0.1:9", { proxy: true });
    const answer = await ask({ path: claims, headers: { authorization: "Bearer mine" } });
    expect([answer.status, answer.json.message]).toEqual([502, expect.stringContaining("cannot be reached")]);
  });
});

describe("watches", () => {
  const pods = "/api/v1/pods?watch=1&resourceVersion=5";
  const nodes = "/api/v1/nodes?watch=1";
  const both = `/watch?path=${encodeURIComponent(pods)}&path=${encodeURIComponent(nodes)}`;
  const event = (name: string) => ({ type: "ADDED", object: { metadata: { name } } });

  async function watching(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    const api = await apiServer(answer);
    const served = await serveFunction(api.url, { proxy: true });
    const outgoing = get({
      host: "127.0.0.1",
      port: served.port,
      path: both,
      headers: { authorization: "Bearer mine" },
      agent: false,
    });
    onTestFinished(() => void outgoing.destroy());
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    const lines = createInterface({ input: response })[Symbol.asyncIterator]();
    /** The next event or end; `undefined` after the last line. */
    const next = async () => {
      for (;;) {
        const { value } = await lines.next();
        const line = value === undefined ? undefined : JSON.parse(value);
        if (!line || line.event || line.end || !line.path) return line;
      }
    };
    expect(await next()).toEqual({});
    return { api, outgoing, next };
  }

  test("come on one connection, event by event, whole ones only", async () => {
    const line = (name: string) => `${JSON.stringify(event(name))}\n`;
    const open: Record<string, ServerResponse> = {};
    const { next } = await watching((request, watch) => {
      watch.writeHead(200, { "content-type": "application/json" });
      watch.write(line(`first of ${request.url?.split("?")[0]}`));
      open[`${request.url}`] = watch;
    });
    const first = [await next(), await next()];
    expect(first).toEqual(
      expect.arrayContaining([
        { path: pods, event: event("first of /api/v1/pods") },
        { path: nodes, event: event("first of /api/v1/nodes") },
      ]),
    );
    const text = Buffer.from(line("zweite Größe"));
    const cut = text.indexOf("ö") + 1;
    open[pods]?.write(text.subarray(0, cut));
    open[nodes]?.end('{"type":"AD');
    expect(await next()).toEqual({ path: nodes, end: { status: 200, message: "The watch has ended." } });
    open[pods]?.end(text.subarray(cut));
    expect(await next()).toEqual({ path: pods, event: event("zweite Größe") });
    expect(await next()).toMatchObject({ path: pods, end: { status: 200 } });
    expect(await next()).toBeUndefined();
  });

  test("one that is refused, or too old, says so, and the others go on", async () => {
    const gone = { type: "ERROR", object: { code: 410, reason: "Expired" } };
    const { next } = await watching((request, watch) => {
      if (request.url?.startsWith("/api/v1/nodes"))
        return watch.writeHead(403).end(JSON.stringify({ message: "nodes is forbidden" }));
      return watch.writeHead(200).write(`${JSON.stringify(gone)}\n`);
    });
    const lines = [await next(), await next()];
    expect(lines).toEqual(
      expect.arrayContaining([
        { path: nodes, end: { status: 403, message: "nodes is forbidden" } },
        { path: pods, event: gone },
      ]),
    );
  });

  test("one whose connection to the API server breaks says so", async () => {
    const { next } = await watching((_, watch) => {
      watch.writeHead(200).write("\n");
      setTimeout(() => watch.destroy(), 50);
    });
    expect(await next()).toMatchObject({ end: { status: 502 } });
  });

  test("end at the API server when the page goes", async () => {
    const open: ServerResponse[] = [];
    const both = Promise.withResolvers<void>();
    const { outgoing } = await watching((_, watch) => {
      watch.writeHead(200).write("\n");
      if (open.push(watch) === 2) both.resolve();
    });
    await both.promise;
    const closed = open.map((watch) => once(watch, "close"));
    outgoing.destroy();
    await Promise.all(closed);
  });

  test.each([both, `/cluster${pods}`])(
    "none begin for a page that goes while its credential is read: %s",
    async (path) => {
      const api = await apiServer();
      const [asked, signedIn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const transport = tokenTransports({ apiServer: api.url, authority: "" }, {})("mine");
      const signIn: SignIn = {
        how: "proxy",
        async transportFor() {
          asked.resolve();
          await signedIn.promise;
          return transport;
        },
        forget: () => undefined,
      };
      const handle = createConsole({ signIn, place: {}, client: ".", log: createLog("error") });
      const answered = Promise.withResolvers<void>();
      const port = await listen((request, response) => {
        response.once("close", signedIn.resolve);
        void handle(request, response).then(answered.resolve);
      });
      const outgoing = get({ host: "127.0.0.1", port, path, agent: false }).on("error", () => {});
      await asked.promise;
      outgoing.destroy();
      await answered.promise;
      expect(api.seen).toEqual([]);
    },
  );

  test("a single one is passed on as it is, and ends with the page, too", async () => {
    const opened = Promise.withResolvers<ServerResponse>();
    const api = await apiServer((_, watch) => {
      watch.writeHead(200, { "content-type": "application/json" }).flushHeaders();
      opened.resolve(watch);
    });
    const { port } = await serveFunction(api.url, { proxy: true });
    const headers = { authorization: "Bearer mine" };
    const outgoing = get({ host: "127.0.0.1", port, path: `/cluster${pods}`, headers, agent: false });
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    const watch = await opened.promise;
    watch.write(`${JSON.stringify(event("a"))}\n`);
    const [chunk] = (await once(response, "data")) as [Buffer];
    expect(JSON.parse(String(chunk))).toEqual(event("a"));
    const closed = once(watch, "close");
    outgoing.destroy();
    await closed;
  });
});

describe("on loopback", () => {
  const open = async () => {
    const api = await apiServer();
    const served = await serveOnLoopback(api.url);
    return { ...served, api, secret: served.address().slice(`http://127.0.0.1:${served.port}`.length) };
  };

  test("the address opens the console once, and another one again", async () => {
    const { ask, address, secret, port, used } = await open();
    expect((await ask({ path: "/session" })).json).toEqual({ signedIn: false, user: null, how: "kubeconfig" });
    const entered = await ask({ path: secret });
    expect([entered.status, entered.headers.location]).toEqual([303, "/"]);
    expect(entered.headers["set-cookie"]?.[0]).toMatch(
      new RegExp(`^holdfast-console-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; `),
    );
    const cookie = cookieOf(entered);
    expect(cookie).not.toContain(secret.split("/").at(-1));
    expect((await ask({ path: "/session", headers: { cookie } })).json).toMatchObject({ signedIn: true, user: "anna" });
    expect(used).toEqual([1]);
    const again = await ask({ path: secret });
    expect([again.status, again.headers["set-cookie"]]).toEqual([403, undefined]);
    expect((await ask({ path: new URL(address()).pathname })).status).toBe(303);
  });

  test("an address with the page of an object opens that page, and no other address", async () => {
    const { ask, address } = await open();
    const opened = async (page: string) => {
      const { pathname, search } = new URL(address(page));
      return (await ask({ path: `${pathname}${search}` })).headers.location;
    };
    expect(await opened("/object/PersistentVolumeClaim/shop/data")).toBe("/object/PersistentVolumeClaim/shop/data");
    for (const page of [
      "//evil.example/x/y/z",
      "/object/a/b/c?d",
      "/\\evil/object/a/b",
      "https://evil.example",
      "/open/x",
    ])
      expect(await opened(page)).toBe("/");
  });

  test("a wrong secret, or a part of it, opens nothing", async () => {
    const { ask, secret } = await open();
    for (const path of ["/open/", "/open/x", secret.slice(0, -1), `${secret}x`, `/open/${"A".repeat(43)}`])
      expect((await ask({ path })).status).toBe(403);
    expect((await ask({ path: secret })).status).toBe(303);
  });

  test("another name that leads to this machine reaches nothing, not even a page", async () => {
    const { ask, secret, port } = await open();
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      "127.0.0.1:1",
      `127.0.0.1.evil.example:${port}`,
    ])
      for (const path of ["/", "/session", secret, claims])
        expect((await ask({ path, headers: { host } })).status).toBe(403);
    expect((await ask({ path: "/", headers: { host: `localhost:${port}` } })).status).toBe(200);
  });

  test.each([["http://evil.example"], ["null"], ["http://localhost:1"], ["https://own"]])(
    "a page of %s changes nothing, with any header of its browser about sites",
    async (origin) => {
      const { ask, secret, api, port } = await open();
      const cookie = cookieOf(await ask({ path: secret }));
      const answer = await ask({
        method: "PATCH",
        path: "/cluster/api/v1/namespaces/shop",
        headers: { cookie, origin: origin.replace("own", `127.0.0.1:${port}`) },
        body: { metadata: { annotations: {} } },
      });
      expect([answer.status, api.seen.length]).toEqual([403, 0]);
    },
  );

  test("without the cookie, or with another, nothing passes; a token of the sender's changes nothing", async () => {
    const { ask, secret, api, port } = await open();
    const cookie = cookieOf(await ask({ path: secret }));
    const name = `holdfast-console-${port}`;
    for (const wrong of ["", `${name}=`, `${name}=${"A".repeat(43)}`, `holdfast-console-1=${cookie.split("=")[1]}`]) {
      const headers = { cookie: wrong, authorization: "Bearer mine" };
      expect((await ask({ path: claims, headers })).status).toBe(401);
    }
    expect(api.seen).toHaveLength(0);
    await ask({ path: claims, headers: { cookie, authorization: "Bearer other" } });
    expect(api.seen.at(-1)?.headers.authorization).toBe("Bearer mine");
  });

  test("a 401 of the API server passes on, and the browser stays let in", async () => {
    const { ask, secret, api } = await open();
    const cookie = cookieOf(await ask({ path: secret }));
    api.forget("mine");
    const answer = await ask({ path: claims, headers: { cookie } });
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([401, undefined]);
  });

  test("signing out ends the session of the browser", async () => {
    const { ask, secret } = await open();
    const cookie = cookieOf(await ask({ path: secret }));
    const answer = await ask({ method: "DELETE", path: "/session", headers: { cookie } });
    expect(answer.headers["set-cookie"]?.[0]).toContain("Max-Age=0");
  });
});

test("nothing secret is logged in any case", async () => {
  const api = await apiServer((_, response) => response.writeHead(302, { location: "/?token=mine" }).end());
  const served = await serveFunction(api.url);
  const cookie = await signIn(served);
  await served.ask({ path: claims, headers: { cookie } });
  await served.ask({ path: `${claims}?labelSelector=hidden`, headers: { cookie } });
  await served.ask({
    path: "/cluster/api/v1/secrets?token=hidden",
    headers: { cookie, authorization: "Bearer hidden" },
  });
  await served.ask({ method: "POST", path: "/session", body: { token: "hidden" } });
  await served.ask({ method: "POST", path: "/session", body: '{"token":"hidden' });
  api.forget("mine");
  await served.ask({ path: claims, headers: { cookie } });
  const local = await serveOnLoopback(api.url);
  const { pathname } = new URL(local.address());
  const entered = cookieOf(await local.ask({ path: pathname }));
  await local.ask({ path: pathname });
  await local.ask({ path: claims, headers: { cookie: entered } });
  const log = served.log() + local.log();
  expect(log.split("\n").length).toBeGreaterThan(6);
  for (const secret of ["mine", "hidden", cookie.split("=")[1], entered.split("=")[1], pathname.split("/").at(-1)])
    expect(log).not.toContain(secret as string);
});
