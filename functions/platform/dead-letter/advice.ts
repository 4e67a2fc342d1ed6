import type { Letter } from "./letter.ts";

/** What a person is told about a dead letter: which function, what it said, and what to do. One plain sentence after another. */
export function adviceOn({ destination, code, reply, attributes }: Letter): string {
  const who = destination ? `The function ${destination}` : "A function";
  const what = `a change of ${attributes.kind ?? "an object"} ${attributes.name ?? ""}`.trimEnd();
  const said = reply ? ` and said: ${/[.!?]$/.test(reply) ? reply : `${reply}.`}` : ".";
  return `${who} did not take ${what} (${code ? `HTTP ${code}` : "no answer"})${said} ${remedy(code)}`;
}

function remedy(code: string): string {
  switch (code) {
    case "401":
    case "403":
      return "Grant the function's role what it lacks, then replay the event.";
    case "400":
    case "413":
    case "415":
    case "422":
      return "Correct the Trigger or the setting that the reply names; the event itself is kept for replay.";
    case "500":
      return "This is a defect of the function: report it with its log line, and roll the function back if it is new.";
    default:
      return "Look whether the function starts and reaches the API server, then replay the event.";
  }
}
