/**
 * What to do about a node in LINSTOR, and why, in a sentence.
 * - `act`: the command may be sent now
 * - `wait`: it will become possible, or is under way
 * - `stop`: a person must act, and the sentence says how
 * - `done`: nothing is left to do
 */
export interface Verdict {
  readonly do: "act" | "wait" | "stop" | "done";
  readonly because: string;
}

export const act = (because: string): Verdict => ({ do: "act", because });
export const wait = (because: string): Verdict => ({ do: "wait", because });
export const stop = (because: string): Verdict => ({ do: "stop", because });
export const done = (because: string): Verdict => ({ do: "done", because });
