import type { Letter } from "./letter.ts";

/** A ConfigMap holds at most 1 MiB; half of it is left to what others may put there. */
export const mostLetters = 50;
/** In bytes of the letters' JSON. */
export const mostBytes = 400_000;
/** The longest letter, in bytes, that is kept with its object; beyond, the object is left out, and then the attributes are cut. */
export const longestLetter = 8_000;

/** A letter's key: sorts by time, and is a valid ConfigMap key whatever the event's id was. */
export function keyOf(letter: Letter): string {
  const time = new Date(letter.received).toISOString().replaceAll(/[-:]/g, "").replace(".", "-");
  const id = (letter.attributes.id ?? "").replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 12) || "noid";
  return `${time}-${id}.json`;
}

/** A letter as it is kept. */
export function textOf(letter: Letter): string {
  const whole = JSON.stringify(letter);
  if (Buffer.byteLength(whole) <= longestLetter) return whole;
  const { object: _object, ...rest } = letter;
  const known = ["id", "type", "kind", "apiversion", "namespace", "name"];
  const attributes = Object.fromEntries(Object.entries(letter.attributes).filter(([name]) => known.includes(name)));
  return JSON.stringify({ ...rest, attributes });
}

/**
 * What changes in the ConfigMap's data when a letter is added: its own key, and null for every letter that must make room,
 * the oldest first. Keys that are not letters are left alone.
 */
export function added(data: Readonly<Record<string, string>>, letter: Letter): Record<string, string | null> {
  const key = keyOf(letter);
  const text = textOf(letter);
  const letters = Object.keys(data)
    .filter((key) => /^\d{8}T\d{6}-\d{3}Z-[A-Za-z0-9]+\.json$/.test(key))
    .sort();
  const change: Record<string, string | null> = { [key]: text };
  let count = letters.length + (data[key] === undefined ? 1 : 0);
  let size = letters.reduce((sum, key) => sum + sizeOf(data[key]), Buffer.byteLength(text));
  for (const oldest of letters) {
    if (count <= mostLetters && size <= mostBytes) break;
    if (oldest === key) continue;
    change[oldest] = null;
    count--;
    size -= sizeOf(data[oldest]);
  }
  return change;
}

const sizeOf = (text = "") => Buffer.byteLength(text);
