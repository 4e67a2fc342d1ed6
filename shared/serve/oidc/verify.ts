/** Why a request is not taken: 401 and 403 are final, 503 is tried again. */
export interface Refusal {
  readonly status: 401 | 403 | 503;
  /** A whole sentence. Nothing of the token is in it. */
  readonly message: string;
}

/** Judges the `authorization` header of a request; `undefined`: it may come in. */
export type Verify = (authorization: string | undefined) => Promise<Refusal | undefined>;
