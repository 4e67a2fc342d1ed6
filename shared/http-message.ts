/** An HTTP request carrying an event, as a function, a broker or a source sees it. */
export interface HttpRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The reply. Functions answer with a status and, only when they refuse, one plain sentence. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
