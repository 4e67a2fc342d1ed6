import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Transport } from "../transport.ts";
import { certificates } from "./certificates.ts";
import { base64, type TlsServer, tlsServer } from "./tls-server.ts";

interface Seen {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** Common name of the client's certificate. */
  readonly certificate?: string;
}

/**
 * What must hold of a transport from a kubeconfig, against a server that speaks TLS: written as a suite, because the
 * bundles of functions leave parts of the libraries out, and it has to hold there as well.
 */
export function signsIn(what: string, load: () => Promise<(file?: string) => Transport>): void {
  describe(what, () => {
    let kubeconfigTransport: (file?: string) => Transport;
    let api: TlsServer;
    /** Tokens that are refused. */
    let refused: string[];
    let requests: number;
    const alsoClose: (() => unknown)[] = [];
    beforeEach(async () => {
      kubeconfigTransport = await load();
      refused = [];
      requests = 0;
      api = await tlsServer(({ url = "", headers, socket }, response) => {
        requests++;
        const { subject } = (socket as TLSSocket).getPeerCertificate();
        const seen = { url, headers, certificate: subject?.CN };
        response.writeHead(refused.includes(headers.authorization ?? "") ? 401 : 200).end(JSON.stringify(seen));
      });
    });
    afterEach(async () => {
      for (const close of alsoClose.splice(0)) close();
      await api.close();
    });

    const ask = async (transport: Transport, headers: Record<string, string> = {}) => {
      const { status, body } = await transport({ method: "GET", path: "/api/v1/pods?limit=1", headers });
      let text = "";
      for await (const chunk of body) text += chunk;
      return { status, ...(JSON.parse(text) as Seen) };
    };
    const authorization = async (user: object) =>
      (await ask(kubeconfigTransport(await api.kubeconfig(user)))).headers.authorization;
    /** A plugin that counts its calls in what it prints. */
    const plugin = async (status: string) => {
      const calls = await api.write("calls", "0");
      const script = `const fs = require("node:fs"), call = Number(fs.readFileSync(${JSON.stringify(calls)})) + 1;
        fs.writeFileSync(${JSON.stringify(calls)}, String(call));
        console.log(JSON.stringify({ kind: "ExecCredential", status: ${status} }));`;
      return {
        exec: { apiVersion: "client.authentication.k8s.io/v1", command: process.execPath, args: ["-e", script] },
      };
    };
    const listening = async (server: Server) => {
      alsoClose.push(() => server.close());
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    };

    test("asks for gzip under its own name, below the server's path", async () => {
      const file = await api.kubeconfig({}, { server: `${api.url}/clusters/7/` });
      const { url, headers } = await ask(kubeconfigTransport(file));
      expect(url).toBe("/clusters/7/api/v1/pods?limit=1");
      expect(headers).toMatchObject({ "accept-encoding": "gzip", "user-agent": "holdfast" });
      expect(headers).not.toHaveProperty("authorization");
    });

    test("believes no server that its authority does not vouch for", async () => {
      const strangers = await api.kubeconfig({}, { "certificate-authority-data": base64(certificates.client.cert) });
      await expect(ask(kubeconfigTransport(strangers))).rejects.toThrow(/certificate/);
      const otherName = await api.kubeconfig({}, { "tls-server-name": "elsewhere.test" });
      await expect(ask(kubeconfigTransport(otherName))).rejects.toThrow(/altnames/);
      expect(requests).toBe(0);
    });

    test("knows the server by another name, or by none, where the kubeconfig says so", async () => {
      const named = await api.kubeconfig({}, { "tls-server-name": "kubernetes.test" });
      expect((await ask(kubeconfigTransport(named))).status).toBe(200);
      const any = { "certificate-authority-data": undefined, "insecure-skip-tls-verify": true };
      expect((await ask(kubeconfigTransport(await api.kubeconfig({}, any)))).status).toBe(200);
    });

    test("takes authorities from a file, and a kubeconfig in YAML", async () => {
      const authority = await api.write("ca.crt", certificates.authority);
      const yaml = `
clusters: [{ name: c, cluster: { server: "${api.url}", certificate-authority: ${authority} } }]
users: [{ name: u, user: { token: from-yaml } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x`;
      const { headers } = await ask(kubeconfigTransport(await api.write("yaml", yaml)));
      expect(headers.authorization).toBe("Bearer from-yaml");
    });

    test("signs in with a client certificate, from data and from files", async () => {
      const { cert, key } = certificates.client;
      const data = { "client-certificate-data": base64(cert), "client-key-data": base64(key) };
      expect((await ask(kubeconfigTransport(await api.kubeconfig(data)))).certificate).toBe("client");
      const files = { "client-certificate": await api.write("crt", cert), "client-key": await api.write("key", key) };
      expect((await ask(kubeconfigTransport(await api.kubeconfig(files)))).certificate).toBe("client");
    });

    test("signs in with a token, a name and password, or as another user", async () => {
      expect(await authorization({ token: "secret" })).toBe("Bearer secret");
      expect(await authorization({ username: "ann", password: "p w" })).toBe(`Basic ${base64("ann:p w")}`);
      const { headers } = await ask(kubeconfigTransport(await api.kubeconfig({ token: "t", as: "bob" })));
      expect(headers).toMatchObject({ authorization: "Bearer t", "impersonate-user": "bob" });
    });

    test("lets a request sign in by itself", async () => {
      const transport = kubeconfigTransport(await api.kubeconfig({ token: "secret" }));
      expect((await ask(transport, { authorization: "Bearer own" })).headers.authorization).toBe("Bearer own");
    });

    test("signs in with what a plugin prints, and asks it once for many requests", async () => {
      const transport = kubeconfigTransport(await api.kubeconfig(await plugin('{ token: "call-" + call }')));
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(transport)));
      expect(answers.map(({ headers }) => headers.authorization)).toEqual(Array(5).fill("Bearer call-1"));
    });

    test("signs in with the certificate that a plugin prints", async () => {
      const { cert, key } = certificates.client;
      const status = JSON.stringify({ clientCertificateData: cert, clientKeyData: key });
      expect((await ask(kubeconfigTransport(await api.kubeconfig(await plugin(status))))).certificate).toBe("client");
    });

    test("rejects with what a plugin that fails has said, and asks it again the next time", async () => {
      const file = await api.kubeconfig(
        await plugin('call === 1 ? (console.error("log in first"), process.exit(1)) : { token: "later" }'),
      );
      const transport = kubeconfigTransport(file);
      await expect(ask(transport)).rejects.toThrow("log in first");
      expect((await ask(transport)).headers.authorization).toBe("Bearer later");
    });

    test("signs in with an OIDC token while it is valid", async () => {
      const token = `${base64('{"alg":"none"}')}.${base64('{"exp":4102444800}')}.x`.replaceAll("=", "");
      const config = { "id-token": token, "client-id": "kubernetes", "idp-issuer-url": "https://idp.test" };
      expect(await authorization({ "auth-provider": { name: "oidc", config } })).toBe(`Bearer ${token}`);
    });

    test("asks a plugin again after a 401", async () => {
      refused = ["Bearer call-1"];
      const transport = kubeconfigTransport(await api.kubeconfig(await plugin('{ token: "call-" + call }')));
      expect((await ask(transport)).status).toBe(401);
      expect(await ask(transport)).toMatchObject({ status: 200, headers: { authorization: "Bearer call-2" } });
    });

    test("reads the kubeconfig and its files again after a 401", async () => {
      refused = ["Bearer old"];
      const file = await api.write("token", "old");
      const transport = kubeconfigTransport(await api.kubeconfig({ "token-file": file }));
      await api.write("token", "new");
      expect((await ask(transport)).status).toBe(401);
      expect((await ask(transport)).headers.authorization).toBe("Bearer new");
    });

    test("goes through an HTTP proxy", async () => {
      const asked: (string | undefined)[] = [];
      const proxy = createHttpServer().on("connect", ({ url, headers }, client) => {
        asked.push(url, headers["proxy-authorization"]);
        const server = connect(api.port, "127.0.0.1", () => client.write("HTTP/1.1 200 Connected\r\n\r\n"));
        server.pipe(client).pipe(server);
      });
      const port = await listening(proxy);
      const cluster = { server: "https://kubernetes.test:6443", "proxy-url": `http://ann:pw@127.0.0.1:${port}` };
      const { headers, certificate } = await ask(
        kubeconfigTransport(
          await api.kubeconfig(
            {
              token: "t",
              "client-certificate-data": base64(certificates.client.cert),
              "client-key-data": base64(certificates.client.key),
            },
            cluster,
          ),
        ),
      );
      expect(asked).toEqual(["kubernetes.test:6443", `Basic ${base64("ann:pw")}`]);
      expect([headers.authorization, certificate]).toEqual(["Bearer t", "client"]);
    });

    test("goes through a SOCKS proxy", async () => {
      const proxy = createTcpServer((client) => {
        // RFC 1928: greeting and method, request and reply, and then the connection is the server's.
        client.once("data", () => {
          client.write(Buffer.from([5, 0]));
          client.once("data", () => {
            const server = connect(api.port, "127.0.0.1", () =>
              client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])),
            );
            server.pipe(client).pipe(server);
          });
        });
      });
      const port = await listening(proxy);
      const cluster = { server: "https://kubernetes.test:6443", "proxy-url": `socks5h://127.0.0.1:${port}` };
      const file = await api.kubeconfig({ token: "t" }, cluster);
      expect((await ask(kubeconfigTransport(file))).headers.authorization).toBe("Bearer t");
    });

    test("says at once what is wrong with a kubeconfig", async () => {
      const empty = await api.write("empty", "{}");
      expect(() => kubeconfigTransport(empty)).toThrow(`${empty} has no current context with a cluster.`);
      expect(() => kubeconfigTransport("/nowhere/kubeconfig")).toThrow(/ENOENT/);
    });
  });
}
