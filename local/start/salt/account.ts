/** A Salt that the functions of this run use, how they log in to it, and where storage is made with it. */
export interface SaltAccess {
  /** The root of salt-api. */
  readonly url: string;
  readonly username: string;
  readonly eauth: string;
  readonly password: string;
  /** The authority that certified salt-api, in PEM, where no public one did. */
  readonly authority?: string;
  /** The minion that makes the storage, and the node of its name. */
  readonly minion: string;
  /** Paths of what there is on its node, where that can be seen from here. */
  readonly storage?: () => readonly string[];
}
