import type { Clock } from "../../shared/clock.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";

/** An API server that cases run on: the emulator or a real one, with what a case needs beside the API itself. */
export interface Server {
  /** The API as a cluster administrator. */
  readonly admin: Client;
  /** The same without the client, for watches. */
  readonly transport: Transport;
  /** The API as the user of a bearer token. */
  connect(token: string): Transport;
  /** The server's time: virtual for the emulator. */
  readonly clock: Clock;
  /**
   * Lets time pass until `check` answers something other than `false` and `undefined`, and returns that. Fails, naming
   * `what`, after `within` milliseconds of the server's time; by default 30,000, and 180,000 on real time.
   */
  eventually<T>(what: string, check: () => T | Promise<T>, within?: number): Promise<Exclude<T, false | undefined>>;
  /** Whether the admission plugin OwnerReferencesPermissionEnforcement is on, as it is on some distributions. */
  readonly guardsOwnerReferences: boolean;
  /** Turns the continue token of a list into one whose moment the server has forgotten. */
  expire(token: string): Promise<string>;
  /** A kind, and a version from before what a watch of it still knows. */
  expiredVersion(): Promise<{ kind: Kind; resourceVersion: string }>;
  /** A name that no namespace of this server had. */
  freshName(): string;
  /** It goes when the tests are over, with all that is left on it. */
  readonly throwaway: boolean;
  /** Ends everything that {@link Server} started. */
  stop(): Promise<void>;
}

/** A server and a namespace of its own on it. */
export interface Bench extends Server {
  readonly namespace: string;
}
