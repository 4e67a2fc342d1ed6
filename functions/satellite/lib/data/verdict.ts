/**
 * What to do about a node in LINSTOR, and why, in a sentence.
 * - `act`: the command may be sent now
 * - `wait`: it will become possible, or is under way
 * - `stop`: a person must act, unless it passes by itself in a while
 * - `done`: nothing is left to do
 */
export interface Verdict {
  readonly do: "act" | "wait" | "stop" | "done";
  readonly message: string;
  /** How a person must act, as sentences. */
  readonly advice?: string;
}

export const act = (message: string): Verdict => ({ do: "act", message });
export const wait = (message: string): Verdict => ({ do: "wait", message });
export const stop = (message: string, advice?: string): Verdict => ({
  do: "stop",
  message,
  ...(advice ? { advice } : {}),
});
/** All of it, for where no time is waited for. */
export const whole = ({ message, advice }: Verdict): string => (advice ? `${message} ${advice}` : message);

export const done = (message: string): Verdict => ({ do: "done", message });
