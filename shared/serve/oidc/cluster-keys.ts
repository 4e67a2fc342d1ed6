import { createLocalJWKSet, type JSONWebKeySet } from "jose";
import type { Clock } from "../../clock.ts";
import type { Client } from "../../kubernetes/client.ts";

/** What the cluster signs service account tokens with. */
export interface ClusterKeys {
  readonly issuer: string;
  /** Finds the key that a token names. */
  readonly find: ReturnType<typeof createLocalJWKSet>;
  /** When they were asked for, in milliseconds since the epoch. */
  readonly since: number;
}

/** Keys that a cluster no longer has are believed for this long, in milliseconds. */
const longestBelieved = 60 * 60_000;

/** After keys were asked for, they are not asked for again within this time, with any tokens, in milliseconds. */
export const notAgainWithin = 10_000;

/** The keys as they are remembered. Nothing but time depends on the memory. */
export interface KeyCache {
  /**
   * The keys; `fresh` when they were asked for after this call came. Rejects with what the client throws when there are
   * none, or only old ones, and the API server does not give any.
   */
  current(): Promise<{ readonly keys: ClusterKeys; readonly fresh: boolean }>;
  /** Newer keys than these; `undefined` when it is too early to ask again. */
  newerThan(known: ClusterKeys): Promise<ClusterKeys | undefined>;
}

/**
 * Keeps the keys that the API server publishes at `/openid/v1/jwks`, and the issuer that it names beside them. The
 * account that asks must be bound to `system:service-account-issuer-discovery`, as all service accounts are on an
 * unchanged cluster. The address in the discovery document is not followed: it may lie outside, and the API server is
 * the one that is trusted.
 */
export function keepClusterKeys(client: () => Client | Promise<Client>, clock: Clock): KeyCache {
  let known: ClusterKeys | undefined;
  let asking: Promise<ClusterKeys> | undefined;
  let asked = Number.NEGATIVE_INFINITY;

  async function ask(): Promise<ClusterKeys> {
    const api = await client();
    asked = clock.now();
    const since = asked;
    const [{ issuer }, keys] = await Promise.all([
      api.request<{ issuer?: unknown }>("GET", "/.well-known/openid-configuration"),
      // The API server has this as application/jwk-set+json alone.
      api.request<JSONWebKeySet>("GET", "/openid/v1/jwks", undefined, { accept: "application/jwk-set+json" }),
    ]);
    if (typeof issuer !== "string" || !issuer || !Array.isArray(keys.keys) || keys.keys.length === 0)
      throw new Error("The API server publishes no issuer or no keys.");
    known = { issuer, find: createLocalJWKSet(keys), since };
    return known;
  }

  /** Requests that come while keys are asked for wait for the same answer. */
  function askOnce(): Promise<ClusterKeys> {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  return {
    async current() {
      if (known && clock.now() - known.since < longestBelieved) return { keys: known, fresh: false };
      const fresh = !asking;
      return { keys: await askOnce(), fresh };
    },
    async newerThan(old) {
      if (known && known.since > old.since) return known;
      if (!asking && clock.now() - asked < notAgainWithin) return undefined;
      return askOnce();
    },
  };
}
