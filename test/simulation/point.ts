/**
 * What fault may strike one request: its process dies before it is sent, or when it has been answered; the server
 * answers 409, or refuses what is asked for a while; a second process of the function is handed the same event.
 */
export const whats = ["die before", "die after", "conflict", "refused", "second instance"] as const;

/** A place in a run, by the index of a request, and what happens there. */
export interface Point {
  readonly index: number;
  readonly what: (typeof whats)[number];
}
