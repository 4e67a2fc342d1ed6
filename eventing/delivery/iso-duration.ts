const unit = { W: 604_800_000, D: 86_400_000, H: 3_600_000, M: 60_000, S: 1000 };
const pattern =
  /^P(?:(?<W>\d+(?:[.,]\d+)?)W)?(?:(?<D>\d+(?:[.,]\d+)?)D)?(?:T(?:(?<H>\d+(?:[.,]\d+)?)H)?(?:(?<M>\d+(?:[.,]\d+)?)M)?(?:(?<S>\d+(?:[.,]\d+)?)S)?)?$/;

/**
 * Reads an ISO 8601 duration such as `PT0.5S` into milliseconds; `undefined` when it is none, or has years or months.
 */
export function parseIsoDuration(text: string): number | undefined {
  const groups = pattern.exec(text)?.groups;
  if (!groups) return undefined;
  const parts = Object.entries(groups).filter(([, value]) => value !== undefined);
  if (parts.length === 0) return undefined;
  return parts.reduce(
    (total, [name, value]) => total + Number(value?.replace(",", ".")) * unit[name as keyof typeof unit],
    0,
  );
}
