/** Who sends a request. */
export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
  /** The uid of a service account. */
  readonly uid?: string;
}

/** Who sends a request without a token. */
export const anonymous: Identity = { user: "system:anonymous", groups: ["system:unauthenticated"] };

/** Who everybody is while the server knows no tokens. */
export const administrator: Identity = { user: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };

/** The groups that a service account of a namespace belongs to. */
export const groupsOfAccount = (namespace: string): string[] => [
  "system:serviceaccounts",
  `system:serviceaccounts:${namespace}`,
  "system:authenticated",
];

/** A token of a service account that this server issued. */
export interface IssuedToken {
  readonly identity: Identity;
  readonly namespace: string;
  readonly name: string;
  readonly audience: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expires: number;
}
