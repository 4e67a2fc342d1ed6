/** One request to a Kubernetes API server. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query from the server's root, for example `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The answer; a watch keeps `body` open and yields as lines arrive. */
export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Decoded text in chunks of any size, never cut inside a character. Ending the iteration early closes the response.
   */
  readonly body: AsyncIterable<string>;
  /**
   * The same in UTF-8, where the transport has it as bytes, cut anywhere: for readers of lists, which are long. Instead
   * of `body`, not beside it.
   */
  readonly bytes?: AsyncIterable<Uint8Array>;
}

/**
 * The one seam between the client and the world: HTTPS to a real API server in production, a function call into the
 * laptop edition's API server in tests and simulations. Rejects when there is no answer at all (connection refused,
 * reset, timed out); every HTTP status resolves.
 */
export type Transport = (request: ApiRequest) => Promise<ApiResponse>;
