/** What becomes of the data behind a claim that goes. */
export interface VolumeFate {
  readonly volume: string;
  /** `kept`: by Holdfast, for a while; `stays`: on the storage, and nothing binds or deletes it. */
  readonly fate: "deleted" | "kept" | "stays";
  /** RFC 3339: until when it is kept. */
  readonly until?: string;
  /** A whole sentence. */
  readonly because: string;
}

/** What becomes of a claim. */
export interface PredictedClaim {
  readonly claim: string;
  readonly goes: boolean;
  readonly because: string;
  /** What has to end before it goes, such as a pod that uses it. */
  readonly waitsFor: readonly string[];
  /** Its volume; absent where the claim stays, or has none. */
  readonly volume?: VolumeFate;
}

/** What a change would do, in the end. Nothing has been done. */
export interface Prediction {
  /** `Scale StatefulSet shop/web from 3 to 1 replicas`. */
  readonly change: string;
  readonly claims: readonly PredictedClaim[];
  /** What else a person must know of it, in whole sentences. */
  readonly notes: readonly string[];
  readonly gaps: readonly string[];
}
