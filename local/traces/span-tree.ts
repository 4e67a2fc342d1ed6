/** What of a span says where it belongs, in OTLP's JSON. */
interface Placed {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
}

/** The spans of a trace, in the order in which they began, each with its depth below the outermost ones. */
export function spanTree<Span extends Placed>(
  spans: readonly Span[],
): readonly { readonly span: Span; readonly depth: number }[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const below = (parent: string | undefined, depth: number): { span: Span; depth: number }[] =>
    spans
      .filter((span) => (parent ? span.parentSpanId === parent : !known.has(span.parentSpanId ?? "")))
      .toSorted((one, other) => Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)))
      .flatMap((span) => [{ span, depth }, ...below(span.spanId, depth + 1)]);
  return below(undefined, 0);
}
