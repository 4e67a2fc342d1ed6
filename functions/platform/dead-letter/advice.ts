import type { DeadLetteredEvent } from "./dead-lettered-event.ts";

/**
 * What a person reads of a dead-lettered event: which function, what it replied, and what to do. One plain sentence
 * after another.
 */
export function adviceOn({ destination, code, reply, attributes }: DeadLetteredEvent): string {
  const what = `a change of ${attributes.kind ?? "an object"} ${attributes.name ?? ""}`.trimEnd();
  if (!destination)
    return `${what.replace("a", "A")} was not taken, and the broker does not say by which function. ${unsaid}`;
  const replied = reply ? ` and replied: ${/[.!?]$/.test(reply) ? reply : `${reply}.`}` : ".";
  return (
    `The function ${destination} did not take ${what} (${code ? `HTTP ${code}` : "no answer"})${replied} ` +
    `${remedy(code)}`
  );
}

/** What leaves a dead-lettered event without `knativeerrordest`: three causes, and how to tell the first one. */
const unsaid =
  "Either its channel delivers for a Trigger that is gone, or a function answered later than its Trigger's " +
  "timeout, or with a body " +
  'that is no event. Look at "kubectl -n holdfast describe configmap holdfast-sweep": ' +
  "with the Warning StaleSubscribers it is the " +
  "first, and the Warning says what to do; otherwise look at the functions' log.";

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
