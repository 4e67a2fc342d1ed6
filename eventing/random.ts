/** A seeded source of randomness: the same seed gives the same sequence on every machine. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer in [0, bound). */
  below(bound: number): number;
  /** A version 4 UUID. */
  uuid(): string;
}

/** Mulberry32: 32 bits of state, enough to interleave a cluster, not for cryptography. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  const hex = (digits: number) => {
    let text = "";
    while (text.length < digits) text += "0123456789abcdef"[below(16)];
    return text;
  };
  return {
    next,
    below,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab"[below(4)]}${hex(3)}-${hex(12)}`,
  };
}
