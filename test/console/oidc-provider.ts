import { createSign, generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A provider of OpenID Connect that signs in everyone who comes, as one person. */
export interface OidcProvider {
  readonly issuer: string;
  /** Whether it has issued this token. */
  hasIssued(token: string): boolean;
  close(): void;
}

/** The client that the provider knows. */
export const oidcClient = { id: "holdfast", secret: "holdfast-secret" };

/** Starts one on loopback. */
export async function startOidcProvider(email: string): Promise<OidcProvider> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const nonces = new Map<string, string | null>();
  const issued = new Set<string>();
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const idToken = (nonce: string | null) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: oidcClient.id, sub: email, email, email_verified: true, nonce };
    const content = `${encode({ alg: "RS256", kid: "1" })}.${encode({ ...claims, iat: now, exp: now + 3600 })}`;
    const token = `${content}.${createSign("RSA-SHA256").update(content).sign(privateKey, "base64url")}`;
    issued.add(token);
    return token;
  };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", issuer);
    const json = (body: object) => response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    if (pathname === "/.well-known/openid-configuration")
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ["RS256"],
      });
    if (pathname === "/keys") return json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }] });
    if (pathname === "/authorize") {
      const code = randomUUID();
      nonces.set(code, searchParams.get("nonce"));
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.search = String(new URLSearchParams({ code, state: searchParams.get("state") ?? "" }));
      return response.writeHead(302, { location: back.href }).end();
    }
    if (pathname !== "/token") return response.writeHead(404).end();
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const nonce = nonces.get(new URLSearchParams(body).get("code") ?? "");
    if (nonce === undefined) return response.writeHead(400).end();
    return json({ access_token: randomUUID(), token_type: "Bearer", expires_in: 3600, id_token: idToken(nonce) });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    hasIssued: (token) => issued.has(token),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
