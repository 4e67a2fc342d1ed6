/** One request to an external system (Salt, LINSTOR, OpenStack). */
export interface SystemRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query from the system's root, for example `/v1/nodes?limit=10`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The whole answer. A redirect is an answer like any other: it is not followed. */
export interface SystemResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The one seam between a system's client and the world: HTTP in production, a function call into a stand-in in tests
 * and simulations, where faults are injected by wrapping it. Rejects when there is no whole answer (refused, reset, cut
 * off, aborted); every HTTP status resolves. An error with `unsent: true` says that no connection came about.
 */
export type SystemTransport = (request: SystemRequest) => Promise<SystemResponse>;
