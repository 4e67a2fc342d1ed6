/** A moment as Kubernetes writes `metav1.Time`: RFC 3339 in whole seconds. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A moment as Kubernetes writes `metav1.MicroTime`: RFC 3339 with six decimals. */
export function microTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
