import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { importPKCS8, SignJWT } from "jose";
import { certificates } from "../../../shared/kubernetes/testing/certificates.ts";
import { user } from "./docker-registry.ts";

/** A service that gives tokens for a registry, as docker-registry's documentation has it. */
export interface TokenService {
  /** What the registry has to know of it. */
  readonly login: { readonly realm: string; readonly service: string; readonly issuer: string };
  /** The scopes that tokens were given for, in order. */
  readonly given: readonly (readonly string[])[];
  /** How many more tokens have run out when they are given. */
  stale: number;
  stop(): Promise<void>;
}

const service = "registry.test";
const issuer = "tokens.test";
const basic = `Basic ${Buffer.from(`${user.name}:${user.password}`).toString("base64")}`;

/** Starts one on loopback. It gives {@link user} what is asked for, and other users nothing. */
export async function startTokenService(): Promise<TokenService> {
  const key = await importPKCS8(certificates.server.key, "ES256");
  const chain = [certificates.server.cert.replaceAll(/-----.*-----|\n/g, "")];
  const given: string[][] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { searchParams } = new URL(incoming.url ?? "", "http://tokens.test");
    if (incoming.headers.authorization !== basic || searchParams.get("service") !== service) {
      outgoing.writeHead(401, { "content-type": "application/json" });
      outgoing.end(JSON.stringify({ errors: [{ code: "UNAUTHORIZED", message: "incorrect username or password" }] }));
      return;
    }
    const scopes = searchParams.getAll("scope");
    given.push(scopes);
    const access = scopes.map((scope) => {
      const [type, name, actions = ""] = scope.split(":");
      return { type, name, actions: actions.split(",") };
    });
    const now = Math.floor(Date.now() / 1000);
    // The registry lets tokens live a minute longer than they say.
    const lifetime = tokens.stale-- > 0 ? -120 : 300;
    const token = await new SignJWT({ access })
      .setProtectedHeader({ alg: "ES256", typ: "JWT", x5c: chain })
      .setIssuer(issuer)
      .setAudience(service)
      .setSubject(user.name)
      .setIssuedAt(now)
      .setNotBefore(now - 600)
      .setExpirationTime(now + lifetime)
      .sign(key);
    outgoing.writeHead(200, { "content-type": "application/json" });
    outgoing.end(JSON.stringify({ token }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const realm = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  const tokens: TokenService = {
    login: { realm, service, issuer },
    given,
    stale: 0,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return tokens;
}
