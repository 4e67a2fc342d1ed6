import type { HttpResponse } from "../../shared/http-message.ts";
import { isSuccess, type Post, type PostTools, post } from "../delivery/post.ts";
import { type Attributes, type CloudEvent, InvalidEvent } from "../event/cloud-event.ts";
import { carriesEvent, eventFrom } from "../event/from-http.ts";
import { toBinary, toStructured } from "../event/to-http.ts";
import { asDeadLetter, strayBody } from "./dead-letter.ts";
import type { Subscription } from "./subscription.ts";
import { ttlExtension } from "./ttl.ts";

/** One event on its way to one subscriber. */
export interface Delivery {
  /** As the subscriber sees it. */
  readonly event: CloudEvent;
  readonly ttl: string;
  /** Headers of the incoming request that are handed on. */
  readonly headers: Readonly<Record<string, string>>;
  readonly subscription: Subscription;
  readonly signal: AbortSignal;
}

/** What replies go to: the broker itself. */
export interface ReplyTo {
  readonly url: string;
  receive(
    request: { headers: Readonly<Record<string, string>>; body: string },
    signal: AbortSignal,
  ): Promise<HttpResponse>;
}

/**
 * Delivers an event to a subscriber, its reply back to the broker, and what fails for good to the dead-letter sink.
 * Returns whether the sender may forget the event. Rejects when the signal aborts: the event is lost then.
 */
export async function deliver(tools: PostTools, replyTo: ReplyTo, delivery: Delivery): Promise<boolean> {
  const { event, ttl, headers, subscription, signal } = delivery;
  const { subscriber, policy, namespace, name } = subscription;
  const by = `Trigger ${namespace}/${name}`;
  const common = { policy, by, event: event.attributes, signal };
  const toSubscriber = { ...headers, "kn-namespace": namespace, prefer: "reply" };
  const encode = policy.format === "json" ? toStructured : toBinary;

  const answer = await post(tools, { ...common, url: subscriber, request: encode(event, toSubscriber), judge });
  if (!isSuccess(answer)) {
    signal.throwIfAborted();
    return deadLetter(tools, delivery, common, asDeadLetter(whole(), subscriber, answer));
  }
  if (!carriesEvent(answer.headers)) return true;

  const reply = eventFrom(answer);
  tools.trace?.({ at: tools.clock.now(), hop: "replied", event: event.attributes, by, reply: reply.attributes });
  // The filter's HTTP server gives the data of a structured reply that declares no type the one that it looks like.
  const isUndeclared = answer.headers["ce-specversion"] === undefined && reply.body !== "";
  const undeclared = isUndeclared ? { datacontenttype: "text/plain; charset=utf-8" } : {};
  const request = toBinary(
    { ...reply, attributes: { ...undeclared, ...reply.attributes, [ttlExtension]: ttl } },
    { "kn-namespace": namespace },
  );
  // What was handed on to the subscriber is not handed on beyond its reply.
  const replied = { ...delivery, headers: {} };
  const send = (_url: string, message: typeof request, stop?: AbortSignal) => replyTo.receive(message, stop ?? signal);
  const taken = await post({ ...tools, send }, { ...common, url: replyTo.url, request });
  return isSuccess(taken) || deadLetter(tools, replied, common, asDeadLetter(whole(), replyTo.url, taken));

  /** The dead-letter sink is sent what the channel holds, time to live included. */
  function whole(): Attributes {
    return { ...event.attributes, [ttlExtension]: ttl };
  }
}

/** A success is empty or a CloudEvent; any other body is turned into 502, which is retried. */
function judge(response: HttpResponse): HttpResponse {
  if (response.status < 200 || response.status > 299) return response;
  if (!carriesEvent(response.headers)) return response.body === "" ? response : strayBody;
  try {
    eventFrom(response);
    return response;
  } catch (error) {
    if (error instanceof InvalidEvent) return strayBody;
    throw error;
  }
}

type Common = Pick<Post, "policy" | "by" | "event" | "signal">;

async function deadLetter(
  tools: PostTools,
  { event, headers, subscription }: Delivery,
  common: Common,
  attributes: Attributes,
): Promise<boolean> {
  const { deadLetterSink, namespace } = subscription;
  const drop = (message: string) =>
    tools.trace?.({ at: tools.clock.now(), hop: "dropped", event: event.attributes, by: common.by, message });
  if (deadLetterSink === undefined) {
    drop("delivery failed for good and there is no dead-letter sink");
    return false;
  }
  const dead = { hop: "dead-lettered", event: attributes, by: common.by, to: deadLetterSink } as const;
  tools.trace?.({ at: tools.clock.now(), ...dead });
  const request = toBinary({ attributes, body: event.body }, { ...headers, "kn-namespace": namespace });
  if (isSuccess(await post(tools, { ...common, event: attributes, url: deadLetterSink, request }))) return true;
  drop("the dead-letter sink did not take it either");
  return false;
}
