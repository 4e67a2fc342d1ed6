/**
 * Parses JSON without loss: whole numbers beyond 2^53 become bigints, everything else is as `JSON.parse` has it.
 * LINSTOR's `ret_code` is a signed 64-bit number of about 4.6e18 whose lowest bits are the code itself.
 *
 * @throws SyntaxError when the text is no JSON, for example half an answer.
 */
export function parseJson(text: string): unknown {
  // `context.source`, the number as it was written, is in Node since 22; TypeScript's types do not have it yet.
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context?.source as string)
      : value;
  return JSON.parse(text, exact);
}
