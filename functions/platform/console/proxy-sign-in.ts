import type { Transport } from "../../../shared/kubernetes/transport.ts";
import type { SignIn } from "../lib/console/sign-in.ts";

/** An OIDC proxy signs people in and forwards their token with each request; it also signs them out. */
export function byProxy(withToken: (token: string) => Transport): SignIn {
  return {
    how: "proxy",
    async transportFor({ headers }) {
      const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? "") ?? [];
      return token ? withToken(token) : undefined;
    },
    forget: () => undefined,
  };
}
