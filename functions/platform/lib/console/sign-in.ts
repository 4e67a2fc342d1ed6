import type { IncomingMessage } from "node:http";
import type { Transport } from "../../../../shared/kubernetes/transport.ts";

/** How a console knows its users: each way brings the credential that goes to the API server, and no other does. */
export interface SignIn {
  readonly how: "kubeconfig" | "proxy" | "token";
  /** The API server as the sender of this request sees it; `undefined` when they have not signed in. */
  transportFor(request: IncomingMessage): Promise<Transport | undefined>;
  /**
   * Makes a session out of a token, and returns the value of `set-cookie`; absent where tokens are not pasted.
   *
   * @throws Refusal when the token is not taken.
   */
  open?(token: string, request: IncomingMessage): Promise<string>;
  /** Takes the secret of an address that was printed, once, and returns the value of `set-cookie`. */
  enter?(secret: string): string | undefined;
  /**
   * The value of `set-cookie` that ends the sender's session, because they ask for it or the API server has `refused`
   * the credential; `undefined` where a cookie has nothing to do with it.
   */
  forget(request: IncomingMessage, because: "asked" | "refused"): string | undefined;
}
