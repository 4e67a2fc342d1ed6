import type { createBroker } from "../../eventing/broker/broker.ts";
import { deliver } from "../../eventing/broker/deliver.ts";
import type { post } from "../../eventing/delivery/post.ts";

/** Counts the events that are under way, from a source's post until the last subscriber is done, retries included. */
export interface InFlight {
  /** Posts and deliveries that are not done with, of events about objects of a namespace. */
  count(namespace: string): number;
  /** What sources post with. */
  post(inner: typeof post): typeof post;
  /** Creates brokers. */
  brokers(create: typeof createBroker): typeof createBroker;
}

export function createInFlight(): InFlight {
  const counts = new Map<string, number>();
  const count = (namespace: string) => counts.get(namespace) ?? 0;

  async function counted<T>(namespace: string | undefined, act: () => Promise<T>): Promise<T> {
    if (!namespace) return act();
    counts.set(namespace, count(namespace) + 1);
    try {
      return await act();
    } finally {
      counts.set(namespace, count(namespace) - 1);
    }
  }

  return {
    count,
    post: (inner) => (tools, task) => counted(task.event.namespace, () => inner(tools, task)),
    // An asynchronous broker begins its deliveries before it answers the post: nothing slips through in between.
    brokers: (create) => (options, tools) => {
      const inner = options.deliver ?? deliver;
      const counting: typeof deliver = (given, replyTo, delivery) =>
        counted(delivery.event.attributes.namespace, () => inner(given, replyTo, delivery));
      return create({ ...options, deliver: counting }, tools);
    },
  };
}
