/** Whether two JSON values say the same, with their fields in any order. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return Object.is(one, other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [one, other] as readonly Readonly<Record<string, unknown>>[];
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameJson(left?.[key], right?.[key]))
  );
}
