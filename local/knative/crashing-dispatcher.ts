import { type Broker, createBroker } from "../../eventing/broker/broker.ts";
import { deliver } from "../../eventing/broker/deliver.ts";
import type { Send } from "../../eventing/send.ts";
import type { HttpResponse } from "../../shared/http-message.ts";

/** Bytes of a reply that the dispatcher's buffer holds as base64. */
const longestReply = 768;

/**
 * Creates brokers that share one dispatcher, as those of Knative 1.22.2 do: a reply of more than 768 bytes that leads
 * to the dead-letter sink makes it panic (its buffer for the base64 holds 1,024 characters), and what any of these
 * brokers holds in memory is lost.
 */
export function crashingDispatcher(): typeof createBroker {
  const brokers = new Set<Broker>();
  return (options, tools) => {
    function crash(subscriber: string): void {
      const what = `a reply of more than ${longestReply} bytes from ${subscriber}`;
      const message = `the channel dispatcher crashed over ${what}`;
      tools.trace?.({ at: tools.clock.now(), hop: "trouble", by: "Knative", message });
      for (const broker of brokers) broker.lose(message);
    }
    const inner = options.deliver ?? deliver;
    const crashing: typeof deliver = (given, replyTo, delivery) => {
      const { subscriber, deadLetterSink } = delivery.subscription;
      let last: HttpResponse | undefined;
      const send: Send = async (url, request, signal) => {
        if (url === deadLetterSink && last && isTooLong(last)) crash(subscriber);
        delivery.signal.throwIfAborted();
        if (url === subscriber) last = undefined;
        const response = await given.send(url, request, signal);
        if (url === subscriber) last = response;
        return response;
      };
      return inner({ ...given, send }, replyTo, delivery);
    };
    const broker = createBroker({ ...options, deliver: crashing }, tools);
    brokers.add(broker);
    return broker;
  };
}

/** A success whose body is no event is not recorded on the event, however long it is. */
const isTooLong = ({ status, body }: HttpResponse) => status >= 300 && Buffer.byteLength(body) > longestReply;
