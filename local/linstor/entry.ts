/** An entry of an answer as LINSTOR sends it; `ret_code` needs 64 bits. */
export interface ApiCallRc {
  ret_code: bigint;
  message?: string;
  cause?: string;
  details?: string;
  obj_refs?: Record<string, string>;
  created_at: string;
}

const severities = { success: 0n, info: 1n, warning: 2n, error: 3n };
const operations = { none: 0n, create: 1n, modify: 2n, delete: 3n };
const objects = {
  none: 0n,
  snapshot: 3n,
  controller: 4n,
  pool: 5n,
  interface: 7n,
  volume: 11n,
  resource: 13n,
  node: 15n,
};

/** What a command does to what; the answer's entries carry it beside severity and code. */
export interface About {
  readonly operation: keyof typeof operations;
  readonly object: keyof typeof objects;
  readonly refs?: Record<string, string>;
}
export const nothing: About = { operation: "none", object: "none" };

type More = Pick<ApiCallRc, "cause" | "details">;

/** Makes an entry; the time is put there when the answer is sent. */
export function entry(
  severity: keyof typeof severities,
  { operation, object, refs }: About,
  code: number,
  message?: string,
  more: More = {},
): Omit<ApiCallRc, "created_at"> {
  const mask = (severities[severity] << 62n) | (operations[operation] << 24n) | (objects[object] << 18n);
  return {
    ret_code: BigInt.asIntN(64, mask | BigInt(code)),
    ...(message === undefined ? {} : { message }),
    ...more,
    ...(refs ? { obj_refs: refs } : {}),
  };
}

export type Entry = ReturnType<typeof entry>;

/** The status of an array: its first error decides, wherever it stands. */
export function statusOf(entries: readonly Entry[], success: number): number {
  const first = entries.find(({ ret_code }) => BigInt.asUintN(64, ret_code) >> 62n === 3n);
  if (!first) return success;
  const code = Number(first.ret_code & 0x7fffn);
  return code >= 300 && code < 400 ? 404 : code >= 400 && code < 500 ? 403 : 500;
}
