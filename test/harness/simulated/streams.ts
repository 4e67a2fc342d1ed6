import { type Random, seededRandom } from "../../../eventing/random.ts";

/** A source of randomness of its own for each purpose, so that one draw more in one place shifts nothing elsewhere. */
export type Streams = (label: string) => Random;

/** All the randomness of one run: the same number and label give the same sequence on every machine. */
export function streamsOf(number: number): Streams {
  return (label) => seededRandom(hash(`${number}/${label}`));
}

/** FNV-1a with a final mix, 32 bits: neighbouring labels give unrelated sequences. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
