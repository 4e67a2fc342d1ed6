import { type QueryClient, useQuery } from "@tanstack/react-query";
import { Away, send } from "./request.ts";

/** As whom requests are made. */
export interface Session {
  readonly signedIn: boolean;
  readonly user?: string;
  /** Where the credential comes from, in the server's word: a kubeconfig, a proxy, a token. */
  readonly how?: string;
}

const key = ["session"];

/** Who is signed in; `undefined` until the server has said so. */
export function useSession(): { readonly session: Session | undefined; readonly error: Error | null } {
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await send("/session", { signal })).json() as Promise<Session>,
    staleTime: Number.POSITIVE_INFINITY,
    retry: (_, error) => error instanceof Away,
    retryDelay: 1_000,
  });
  return { session: data, error };
}

/** Signs in with a bearer token. Rejects with the server's words. */
export async function signIn(cache: QueryClient, token: string): Promise<void> {
  await send("/session", { method: "POST", body: { token } });
  await startOver(cache);
}

export async function signOut(cache: QueryClient): Promise<void> {
  await send("/session", { method: "DELETE" });
  await startOver(cache);
}

/** Forgets all that another user was shown. */
async function startOver(cache: QueryClient): Promise<void> {
  cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] });
  await cache.invalidateQueries({ queryKey: key });
}

/** The API server does not take the credential any more: the sign-in form comes. */
export function signedOut(cache: QueryClient): void {
  cache.setQueryData<Session>(key, (session) => ({ ...session, signedIn: false }));
}
