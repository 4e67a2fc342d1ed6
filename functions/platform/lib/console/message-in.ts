/** The sentence of the API server's refusal; of another text, such as the page of a proxy, the beginning. */
export function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === "string" && message) return message;
  } catch {}
  return text.trim().slice(0, 500);
}
