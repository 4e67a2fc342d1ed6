import { errors, jwtVerify } from "jose";
import type { Clock } from "../../clock.ts";
import type { Client } from "../../kubernetes/client.ts";
import { type ClusterKeys, keepClusterKeys } from "./cluster-keys.ts";
import type { OidcSettings } from "./settings.ts";
import type { Refusal, Verify } from "./verify.ts";

/** What Kubernetes signs with. No symmetric algorithm: with one, anyone with the public key could sign. */
const algorithms = ["RS256", "ES256", "ES384", "ES512"];

/** Seconds that the clocks of two machines may differ by. */
const clockTolerance = 30;

/**
 * Checks bearer tokens of the cluster's service accounts: signature, issuer, audience, time, and who sent it. The keys
 * are read through the function's own client, kept, and read again when a token names one that is not among them.
 */
export function tokenVerifier(settings: OidcSettings, client: () => Client | Promise<Client>, clock: Clock): Verify {
  const cache = keepClusterKeys(client, clock);

  async function subjectOf(token: string, { issuer, find }: ClusterKeys): Promise<string> {
    const { payload } = await jwtVerify(token, find, {
      algorithms,
      issuer,
      audience: settings.audience,
      requiredClaims: ["exp", "sub"],
      clockTolerance,
      currentDate: new Date(clock.now()),
    });
    return payload.sub ?? "";
  }

  /** Judges by keys that are read now or were read before; `undefined` when the token is signed by none of them. */
  async function judge(token: string, keys: ClusterKeys): Promise<{ refusal?: Refusal } | undefined> {
    try {
      const refusal = refuseStranger(await subjectOf(token, keys), settings.senders);
      return refusal ? { refusal } : {};
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      if (error instanceof errors.JOSEError) return { refusal: unauthorized(wordsFor(error, settings)) };
      throw error;
    }
  }

  async function verify(token: string): Promise<Refusal | undefined> {
    const { keys, fresh } = await cache.current();
    const verdict = await judge(token, keys);
    if (verdict) return verdict.refusal;
    if (fresh) return unknownKey;
    const newer = await cache.newerThan(keys);
    if (!newer) return tooEarly;
    const second = await judge(token, newer);
    return second ? second.refusal : unknownKey;
  }

  return async (authorization) => {
    if (!authorization) return unauthorized("no token came with it");
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(authorization)?.[1];
    if (token === undefined) return unauthorized("its authorization header holds no bearer token");
    try {
      return await verify(token);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      return {
        status: 503,
        message: `The sender cannot be checked, because the cluster's keys cannot be read: ${cause}`,
      };
    }
  };
}

/** Unknown is not the same as wrong: the key may be younger than what we know. */
const tooEarly: Refusal = {
  status: 503,
  message: "The sender's token is signed by an unknown key, and the cluster's keys were read a moment ago: try again.",
};

/** Whether one of the senders names a subject; with a `*` at its end it names all that begin so. */
export const isSender = (subject: string, senders: readonly string[]): boolean =>
  senders.some((sender) => (sender.endsWith("*") ? subject.startsWith(sender.slice(0, -1)) : subject === sender));

function refuseStranger(subject: string, senders: readonly string[]): Refusal | undefined {
  if (isSender(subject, senders)) return undefined;
  const named = "OIDC_SENDERS and OIDC_MORE_SENDERS do not name it";
  return { status: 403, message: `Events are not taken from ${JSON.stringify(subject)}: ${named}.` };
}

const unauthorized = (why: string): Refusal => ({ status: 401, message: `The event is refused, because ${why}.` });

const unknownKey = unauthorized("its token is not signed by a key of this cluster");

function wordsFor(error: errors.JOSEError, { audience }: OidcSettings): string {
  if (error instanceof errors.JWTExpired) return "its token has expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "aud") return `its token is not meant for ${JSON.stringify(audience)}`;
    if (error.claim === "iss") return "its token is not of this cluster's issuer";
    if (error.claim === "nbf") return "its token is not valid yet";
    return `the claim ${error.claim} of its token is missing or wrong`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return `its token is not signed by one of ${algorithms.join(", ")}`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return "the signature of its token is wrong";
  return "its token cannot be read";
}
