const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration as Go writes it, for example `1h30m`; `undefined` for what is none. */
export function millisecondsOf(duration: string | undefined): number | undefined {
  if (duration === "0") return 0;
  if (!duration || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(duration)) return undefined;
  const parts = duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g);
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit as string] as number), 0);
}
