/** An entry of an answer as LINSTOR sends it; `ret_code` needs 64 bits. */
interface ApiCallRc {
  ret_code: bigint;
  message?: string;
  cause?: string;
  details?: string;
}

const severities = { warning: 2n, error: 3n };

/**
 * Makes an entry. Its code says how it is meant and what happened, and not which operation on which object it was
 * about, which no client reads.
 */
export function entry(
  severity: keyof typeof severities,
  code: number,
  message?: string,
  more: Pick<ApiCallRc, "cause" | "details"> = {},
): ApiCallRc {
  const retCode = BigInt.asIntN(64, (severities[severity] << 62n) | BigInt(code));
  return { ret_code: retCode, ...(message === undefined ? {} : { message }), ...more };
}

export type Entry = ReturnType<typeof entry>;

/** The status of an array: its first error decides, wherever it stands. */
export function statusOf(entries: readonly Entry[], success: number): number {
  const first = entries.find(({ ret_code }) => BigInt.asUintN(64, ret_code) >> 62n === 3n);
  if (!first) return success;
  const code = Number(first.ret_code & 0x7fffn);
  return code >= 300 && code < 400 ? 404 : code >= 400 && code < 500 ? 403 : 500;
}
