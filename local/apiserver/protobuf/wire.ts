/**
 * One field of a message on the wire: its number with a whole number or with the bytes of a text, a message or the
 * like.
 */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/** Takes a message apart. Throws where the bytes are no message. */
export function* fieldsOnWire(bytes: Uint8Array): Generator<WireField, void, undefined> {
  let at = 0;

  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new Error("a number has no end");
  };
  const take = (length: number): Uint8Array => {
    if (length < 0 || at + length > bytes.length) throw new Error("a field is longer than its message");
    at += length;
    return bytes.subarray(at - length, at);
  };

  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 2:
        yield { number, value: take(Number(varint())) };
        break;
      default:
        throw new Error(`field ${number} is of no known wire type`);
    }
  }
}
