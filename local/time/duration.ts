const unit: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Reads a Go duration such as `90s` or `1m30s` into milliseconds; `undefined` when it is none. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|h|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, number, , name] of text.matchAll(/(\d+(\.\d+)?)(ms|h|m|s)/g)) total += Number(number) * unit[name!]!;
  return total;
}
