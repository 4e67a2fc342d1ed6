import { resendAt } from "../lib/kept-event.ts";
import type { DeadLetteredEvent } from "./dead-lettered-event.ts";
import type { InstalledFunction } from "./installed-function.ts";
import { keyOf } from "./ring-buffer.ts";

/** What advice on a dead-lettered event depends on, besides the event. */
export interface Circumstances {
  readonly found: InstalledFunction | "absent" | "unknown";
  /** The namespace of the functions. */
  readonly namespace: string;
  /** The ConfigMap of the ring buffer. */
  readonly configMap: string;
  /**
   * Whether the text of the reply may be repeated: in a log always, in an Event only where senders are verified. Anyone
   * who can reach the function can send it a text.
   */
  readonly quoting: boolean;
}

/**
 * What a person reads of a dead-lettered event: which function, with what status, and what to do. One plain sentence
 * after another.
 */
export function adviceOn(event: DeadLetteredEvent, about: string, circumstances: Circumstances): string {
  const { destination, code, reply } = event;
  const { found, namespace, configMap, quoting } = circumstances;
  if (!destination)
    return `A change of ${about} was not taken, and the broker does not say by which function. ${unsaid(namespace)}`;
  const who = typeof found === "object" ? `The function ${found.name}` : "A function";
  const replied = quoting && reply ? ` and replied: ${/[.!?]$/.test(reply) ? reply : `${reply}.`}` : ".";
  return (
    `${who} did not take a change of ${about} (${code ? `HTTP ${code}` : "no answer"})${replied} ` +
    `${remedy(event, found, namespace)} The event, with the reply, is kept as ${keyOf(event)} in the ConfigMap ` +
    `${configMap}.`
  );
}

/** What leaves a dead-lettered event without `knativeerrordest`: three causes, and how to tell the first one. */
const unsaid = (namespace: string) =>
  "Either its channel delivers for a Trigger that is gone, or a function answered later than its Trigger's " +
  "timeout, or with a body " +
  `that is no event. Look at \`kubectl -n ${namespace} describe configmap holdfast-sweep\`: ` +
  "with the Warning StaleSubscribers it is the " +
  "first, and the Warning says what to do; otherwise look at the functions' log.";

function remedy(event: DeadLetteredEvent, found: Circumstances["found"], namespace: string): string {
  const { code, reply, since } = event;
  const kubectl = (command: string) => `\`kubectl -n ${namespace} ${command}\``;
  if (found === "absent")
    return (
      `There is no function at the address that the event names. ${kubectl("get triggers")} shows Triggers whose ` +
      "subscriber is missing: install the function, or delete its Triggers."
    );
  if (found !== "unknown" && found.unready)
    return (
      `It has no ready Revision (${found.unready}). ${kubectl(`describe ksvc ${found.name}`)} says why: the image, ` +
      `the account or a setting. Correct that. ${again(event)}`
    );
  // What guards the accounts of functions compares all fields, also those that something else changes on the way.
  if (["400", "403", "422"].includes(code) && reply.includes("ValidatingAdmissionPolicy 'holdfast-"))
    return (
      "Holdfast's own policy refuses this write, or cannot be evaluated for it. If a mutating webhook or policy of " +
      "yours changes the object in the same write, exclude the group system:serviceaccounts:" +
      `${namespace} from it, in its matchConditions. Otherwise apply functions and policies of one version. ` +
      again(event)
    );
  const secrets = found === "unknown" ? [] : found.secrets;
  switch (code) {
    case "401":
      return `Set spec.subscriber.audience of the Trigger to the OIDC_AUDIENCE of the function. ${again(event)}`;
    case "403":
      // The function's own words for a sender that it does not know.
      if (reply.includes("OIDC_SENDERS"))
        return `Add the account that the reply names, if your Trigger has it, to OIDC_MORE_SENDERS. ${again(event)}`;
      // The API server's words for what RBAC denies; an external system that refuses uses others.
      if (/ cannot (get|list|watch|create|update|patch|delete) /.test(reply))
        return `Grant the function's role the verb that the reply names. ${again(event)}`;
      return secrets.length > 0
        ? `Its external system does not let it in. Look whether ${namesOf(secrets)} in namespace ${namespace} ` +
            `is there and has the right credentials. ${again(event)}`
        : "Grant the function's role what it lacks, or correct the admission policy that forbids it: the reply says " +
            `which. ${again(event)}`;
    case "400":
    case "413":
    case "415":
    case "422":
      return `Correct the Trigger, the setting or the policy that the reply names. ${again(event)}`;
    case "500":
      return "This is a defect of the function: report it with its log line, and roll the function back if it is new.";
    default:
      return (
        "It could not be reached, or could not reach the API server or its external system. " +
        (since === undefined
          ? "The sweep tries again every five minutes; if that does not help, look at the function's log."
          : `${failingSince(since)} The sweep tries again every five minutes for an hour, and then ever more rarely. ` +
            "Look at the function's log.")
      );
  }
}

/** What happens to the event when its cause is corrected. */
function again(event: DeadLetteredEvent): string {
  if (resendAt(event) === undefined) return "Then replay the event.";
  const since = event.since === undefined ? "" : `${failingSince(event.since)} `;
  return (
    `${since}The sweep tries again every five minutes for an hour, and then ever more rarely. To retry sooner, ` +
    "replay the event."
  );
}

const failingSince = (since: number) =>
  `The function has taken no such event of this object since ${new Date(since).toISOString()}.`;

const namesOf = (secrets: readonly string[]) =>
  secrets.length === 1 ? `the Secret ${secrets[0]}` : `each of the Secrets ${secrets.join(", ")}`;
