import type { HttpResponse } from "../../shared/http-message.ts";
import type { Answer } from "../delivery/post.ts";
import type { Attributes } from "../event/cloud-event.ts";

/** Base64 characters of the reply's body that a dead-lettered event carries at most. */
const longestData = 1024;

/**
 * The attributes of an event on its way to the dead-letter sink. A reply with a status of its own leaves
 * `knativeerrordest`, `knativeerrorcode` and `knativeerrordata` (base64); a timeout, a success that was turned into
 * 502, and a Trigger that the filter does not know leave none, because Knative's channel learns nothing of a subscriber
 * then. What the event already has stays.
 */
export function asDeadLetter(attributes: Attributes, destination: string, answer: Answer): Attributes {
  if (answer === strayBody || answer === triggerGone) return attributes;
  if (!("message" in answer)) return withError(attributes, destination, answer.status, answer.body);
  return answer.timedOut ? attributes : withError(attributes, destination, 500, `dispatch error: ${answer.message}`);
}

/** Stands for a 2xx reply whose body is no CloudEvent. */
export const strayBody: HttpResponse = { status: 502, headers: {}, body: "" };

/** The filter's own answer for a Trigger that it does not know. */
export const triggerGone: HttpResponse = { status: 404, headers: {}, body: "" };

function withError(attributes: Attributes, destination: string, code: number, data: string): Attributes {
  const encoded = Buffer.from(data).toString("base64").slice(0, longestData);
  return {
    ...attributes,
    knativeerrordest: attributes.knativeerrordest || destination,
    knativeerrorcode: attributes.knativeerrorcode || String(code),
    knativeerrordata: attributes.knativeerrordata || encoded,
  };
}
