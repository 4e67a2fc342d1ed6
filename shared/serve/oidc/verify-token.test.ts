import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { type CryptoKey, exportJWK, type JWTPayload, SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { type VirtualClock, virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { createClient } from "../../kubernetes/client.ts";
import type { ApiRequest, Transport } from "../../kubernetes/transport.ts";
import { notAgainWithin } from "./cluster-keys.ts";
import type { Verify } from "./verify.ts";
import { tokenVerifier } from "./verify-token.ts";

const audience = "holdfast/pvc-protection-release";
const issuer = "https://kubernetes.default.svc";
const sender = "system:serviceaccount:holdfast:release-storage-oidc";
const settings = { audience, senders: ["system:serviceaccount:holdfast:*"] };

const rsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const [first, second, foreign] = [rsa(), rsa(), rsa()];
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
const published = async (kid: string, { publicKey }: Pair, alg = "RS256") => ({
  ...(await exportJWK(publicKey)),
  kid,
  alg,
  use: "sig",
});

let clock: VirtualClock;
let keys: object[];
let answer: (path: string) => { status: number; body: string } | undefined;
let asked: ApiRequest[];
let verify: Verify;

beforeEach(async () => {
  clock = virtualClock();
  keys = [await published("first", first), await published("curve", curve, "ES256")];
  answer = () => undefined;
  asked = [];
  const transport: Transport = async (request) => {
    asked.push(request);
    const content = request.path.endsWith("/jwks") ? { keys } : { issuer, jwks_uri: "https://elsewhere.example/keys" };
    const { status, body } = answer(request.path) ?? { status: 200, body: JSON.stringify(content) };
    async function* text() {
      yield body;
    }
    return { status, headers: {}, body: text() };
  };
  const client = createClient(transport, { clock });
  verify = tokenVerifier(settings, () => client, clock);
});

const seconds = (offset = 0) => Math.floor(clock.now() / 1000) + offset;
const claims = (): JWTPayload => ({ iss: issuer, aud: audience, sub: sender, nbf: seconds(), exp: seconds(600) });
const sign = (
  change: JWTPayload = {},
  header: { alg?: string; kid?: string } = {},
  key: KeyObject | CryptoKey | Uint8Array = first.privateKey,
) => new SignJWT({ ...claims(), ...change }).setProtectedHeader({ alg: "RS256", kid: "first", ...header }).sign(key);
const judge = async (token: Promise<string> | string) => verify(`Bearer ${await token}`);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const refused = (status: number, words: string) => ({ status, message: expect.stringContaining(words) });

describe("a token is taken", () => {
  test("that the cluster signed, for us, of a sender we know", async () => {
    expect(await judge(sign())).toBeUndefined();
  });

  test("signed with an elliptic curve", async () => {
    expect(await judge(sign({}, { alg: "ES256", kid: "curve" }, curve.privateKey))).toBeUndefined();
  });

  test("meant for others as well", async () => {
    expect(await judge(sign({ aud: ["https://other.example", audience] }))).toBeUndefined();
  });

  test("with any case of the scheme, and with a clock that is a little off", async () => {
    expect(await verify(`bearer ${await sign({ nbf: seconds(20) })}`)).toBeUndefined();
    expect(await judge(sign({ exp: seconds(-20) }))).toBeUndefined();
  });
});

describe("a token is refused", () => {
  test.each<[string, () => Promise<string> | string, string]>([
    ["of another audience", () => sign({ aud: "holdfast/other" }), "not meant for"],
    ["without an audience", () => sign({ aud: undefined as never }), "not meant for"],
    ["of another issuer", () => sign({ iss: "https://elsewhere.example" }), "issuer"],
    ["without an issuer", () => sign({ iss: undefined as never }), "issuer"],
    ["that has expired", () => sign({ exp: seconds(-60) }), "expired"],
    ["that never expires", () => sign({ exp: undefined as never }), "exp"],
    ["that is not valid yet", () => sign({ nbf: seconds(60) }), "not valid yet"],
    ["without a subject", () => sign({ sub: undefined as never }), "sub"],
    ["that another key signed under the cluster's key id", () => sign({}, {}, foreign.privateKey), "signature"],
    ["of an algorithm that is not allowed", () => sign({}, { alg: "PS256" }), "RS256"],
    ["of a key of another kind than it says", () => sign({}, { kid: "curve" }), "not signed by a key"],
  ])("%s", async (_, token, words) => {
    expect(await judge(token())).toEqual(refused(401, words));
  });

  test("without a signature (alg none)", async () => {
    const unsigned = `${encode({ alg: "none", kid: "first" })}.${encode(claims())}.`;
    expect(await judge(unsigned)).toEqual(refused(401, "is not signed by one of"));
  });

  test("signed with the public key as if it were a secret (HS256)", async () => {
    const pem = first.publicKey.export({ type: "spki", format: "pem" });
    const text = `${encode({ alg: "HS256", kid: "first" })}.${encode(claims())}`;
    const signature = createHmac("sha256", pem).update(text).digest("base64url");
    expect(await judge(`${text}.${signature}`)).toEqual(refused(401, "is not signed by one of"));
  });

  test("whose content was changed after it was signed", async () => {
    const [header, , signature] = (await sign()).split(".");
    const changed = `${header}.${encode({ ...claims(), sub: "system:serviceaccount:holdfast:other" })}.${signature}`;
    expect(await judge(changed)).toEqual(refused(401, "signature"));
  });

  test.each([
    ["no header", undefined],
    ["an empty header", ""],
    ["no scheme", "abc.def.ghi"],
    ["another scheme", "Basic dXNlcjpwYXNz"],
    ["nothing after the scheme", "Bearer "],
    ["two parts", "Bearer abc.def"],
    ["five parts", "Bearer a.b.c.d.e"],
    ["two tokens", "Bearer a.b.c, Bearer a.b.c"],
  ])("that is none: %s, without asking the API server", async (_, header) => {
    expect(await verify(header)).toMatchObject({ status: 401 });
    expect(asked).toEqual([]);
  });

  test.each([
    ["a header that is no JSON", "bm90IGpzb24.e30.c2ln"],
    ["a payload that is no JSON", `${encode({ alg: "RS256", kid: "first" })}.bm90IGpzb24.c2ln`],
    [
      "a header with an unknown critical parameter",
      `${encode({ alg: "RS256", kid: "first", crit: ["x"], x: 1 })}.e30.c2ln`,
    ],
  ])("that cannot be read: %s", async (_, token) => {
    expect(await judge(token)).toMatchObject({ status: 401 });
  });

  test("of a sender we do not know, with 403", async () => {
    const stranger = "system:serviceaccount:holdfast-evil:x";
    expect(await judge(sign({ sub: stranger }))).toEqual(refused(403, stranger));
    expect(await judge(sign({ sub: "holdfast" }))).toMatchObject({ status: 403 });
  });

  test("and the sentence holds nothing of it", async () => {
    const token = await sign({ exp: seconds(-60) });
    const refusal = await judge(token);
    for (const part of token.split(".")) expect(refusal?.message).not.toContain(part);
  });
});

test("a sender that is named whole is taken whole", async () => {
  const transport: Transport = async ({ path }) => {
    async function* text() {
      yield JSON.stringify(path.endsWith("/jwks") ? { keys } : { issuer });
    }
    return { status: 200, headers: {}, body: text() };
  };
  verify = tokenVerifier({ audience, senders: [sender] }, () => createClient(transport, { clock }), clock);
  expect(await judge(sign())).toBeUndefined();
  expect(await judge(sign({ sub: `${sender}2` }))).toMatchObject({ status: 403 });
});

describe("the keys", () => {
  const reads = () => asked.filter(({ path }) => path === "/openid/v1/jwks").length;

  test("are read from the API server alone, once for many events, even when they come together", async () => {
    const token = await sign();
    await Promise.all(Array.from({ length: 20 }, () => judge(token)));
    await judge(token);
    expect(reads()).toBe(1);
    expect(new Set(asked.map(({ path }) => path))).toEqual(
      new Set(["/openid/v1/jwks", "/.well-known/openid-configuration"]),
    );
    expect(asked.find(({ path }) => path.endsWith("jwks"))?.headers.accept).toBe("application/jwk-set+json");
  });

  test("are read again when a token names a new one, and the old one is believed while it is there", async () => {
    await judge(sign());
    await clock.advance(notAgainWithin);
    keys.push(await published("second", second));
    expect(await judge(sign({}, { kid: "second" }, second.privateKey))).toBeUndefined();
    expect(await judge(sign())).toBeUndefined();
    expect(reads()).toBe(2);
  });

  test("that are gone are no longer believed after an hour", async () => {
    await judge(sign());
    keys = [await published("second", second)];
    expect(await judge(sign())).toBeUndefined();
    await clock.advance(60 * 60_000);
    expect(await judge(sign())).toMatchObject({ status: 401 });
  });

  test("are not read at every token with an unknown key: until they may be read again the answer is 503", async () => {
    const unknown = () => sign({}, { kid: "nobody" }, foreign.privateKey);
    await judge(sign());
    for (let i = 0; i < 50; i++) expect(await judge(unknown())).toEqual(refused(503, "try again"));
    expect(reads()).toBe(1);
    await clock.advance(notAgainWithin);
    expect(await judge(unknown())).toEqual(refused(401, "not signed by a key of this cluster"));
    expect(reads()).toBe(2);
    expect(await judge(sign())).toBeUndefined();
  });

  test.each<[string, { status: number; body: string }]>([
    ["an API server that fails", { status: 500, body: "{}" }],
    ["a missing right", { status: 403, body: JSON.stringify({ reason: "Forbidden", message: "forbidden" }) }],
    ["an answer that is no JSON", { status: 200, body: "<html>" }],
    ["an answer without keys", { status: 200, body: '{"keys":[]}' }],
    ["an answer that holds something else", { status: 200, body: '{"keys":["a"]}' }],
  ])("that cannot be read are a fault on our side: %s is 503, and is tried again", async (_, failure) => {
    answer = (path) => (path.endsWith("/jwks") ? failure : undefined);
    expect(await judge(sign())).toEqual(refused(503, "cannot be checked"));
    answer = () => undefined;
    expect(await judge(sign())).toBeUndefined();
  });

  test("without an issuer beside them are none", async () => {
    answer = (path) => (path.endsWith("/jwks") ? undefined : { status: 200, body: "{}" });
    expect(await judge(sign())).toEqual(refused(503, "publishes no issuer"));
  });

  test("whose reader has no credentials are not to be had", async () => {
    verify = tokenVerifier(settings, () => Promise.reject(new Error("no credentials")), clock);
    expect(await judge(sign())).toEqual(refused(503, "no credentials"));
  });
});
