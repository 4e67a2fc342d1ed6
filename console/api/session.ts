import { type QueryClient, useQuery } from "@tanstack/react-query";
import { reconnect } from "./follow.ts";
import { Away, ask, Refusal, send } from "./request.ts";

/** As whom requests are made. */
export interface Session {
  readonly signedIn: boolean;
  /** Absent or null where the API server does not say. */
  readonly user?: string | null;
  /** Where the credential comes from, in the server's word: a kubeconfig, a proxy, a token. */
  readonly how?: string;
  /** The API server has refused the credential while a page was open. The user is who they were. */
  readonly hasEnded?: boolean;
  /** Another one for each user: what is open in the page is that of one user alone. */
  readonly number?: number;
}

const key = ["session"];

const askWho = (signal?: AbortSignal): Promise<Session> => ask("/session", { signal });

/** Who is signed in; `undefined` until the server has said so, with what is in the way of it by now. */
export function useSession(): { readonly session: Session | undefined; readonly error: Error | null } {
  const { data, failureReason } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => askWho(signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: (_, error) => error instanceof Away,
    retryDelay: 1_000,
  });
  return { session: data, error: failureReason };
}

/** Signs in with a bearer token. Rejects with the server's words. */
export async function signIn(cache: QueryClient, token: string): Promise<void> {
  await send("/session", { method: "POST", body: { token } });
  await askAgain(cache);
}

export async function signOut(cache: QueryClient): Promise<void> {
  await send("/session", { method: "DELETE" });
  await askAgain(cache);
}

/**
 * Asks who is signed in now. An open page goes on where it was; what another user was shown is forgotten.
 *
 * @throws Refusal when the session of an open page is still over
 */
export async function askAgain(cache: QueryClient): Promise<void> {
  const before = cache.getQueryData<Session>(key);
  const session = await askWho();
  if (before?.hasEnded && !session.signedIn)
    throw new Refusal(401, "The API server does not accept the credential yet.");
  const number = before?.number ?? 0;
  // Of two who are not known it is not known that they are one.
  const isSame = session.user ? session.user === before?.user : false;
  if (!isSame) cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] });
  cache.setQueryData<Session>(key, { ...session, number: isSame ? number : number + 1 });
  reconnect();
  await cache.invalidateQueries({ predicate: ({ state }) => state.status === "error" });
}

/** The API server does not take the credential any more: the page asks for another one. */
export function signedOut(cache: QueryClient): void {
  cache.setQueryData<Session>(key, (session) =>
    session?.signedIn ? { ...session, signedIn: false, hasEnded: true } : session,
  );
}
