import { isDeepStrictEqual } from "node:util";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The JSON merge patch (RFC 7396) that makes `live` equal to `wanted`; `undefined` when it is. Lists are replaced
 * whole, as merge patches have it.
 */
export function mergePatchTo(live: Fields, wanted: Fields): Fields | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(live), ...Object.keys(wanted)])) {
    const [is, should] = [live[key], wanted[key]];
    if (isDeepStrictEqual(is, should)) continue;
    patch[key] = isFields(is) && isFields(should) ? mergePatchTo(is, should) : should === undefined ? null : should;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}
