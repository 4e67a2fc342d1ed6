import type { Clock } from "../../shared/clock.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { pathOf } from "../../shared/kubernetes/kind.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { ServiceAccount } from "../controllers/objects/kinds.ts";

/** A token of a service account for so many seconds, as the API server gives it out. */
export async function requestToken(client: Client, namespace: string, name: string, expirationSeconds: number) {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds } };
  const path = pathOf(ServiceAccount, namespace, name, "token");
  const answer = await client.request<{ status: { token: string; expirationTimestamp: string } }>("POST", path, body);
  return answer.status;
}

/** Seconds that a token is asked for; a new one is asked for after four fifths of it. */
const lifetime = 3600;

/**
 * The transport of a ServiceAccount: `transport` with a token of its own, which `client` (that must be allowed to) asks
 * for when it is needed.
 */
export function asServiceAccount(
  { client, transport, clock }: { client: Client; transport: Transport; clock: Clock },
  namespace: string,
  name: string,
): Transport {
  let token: { value: Promise<string>; until: number } | undefined;
  const request = async () => (await requestToken(client, namespace, name, lifetime)).token;
  return async (call) => {
    if (!token || clock.now() >= token.until) token = { value: request(), until: clock.now() + lifetime * 800 };
    const current = token;
    try {
      const authorization = `Bearer ${await current.value}`;
      return await transport({ ...call, headers: { ...call.headers, authorization } });
    } catch (error) {
      // A token that could not be had is asked for again by the next call.
      if (token === current) token = undefined;
      throw error;
    }
  };
}
