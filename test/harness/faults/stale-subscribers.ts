import { type Broker, type BrokerOptions, createBroker } from "../../../eventing/broker/broker.ts";
import { triggerGone } from "../../../eventing/broker/dead-letter.ts";
import type { Subscription } from "../../../eventing/broker/subscription.ts";
import type { PostTools } from "../../../eventing/delivery/post.ts";
import type { HttpResponse } from "../../../shared/http-message.ts";

/** What a channel has not forgotten. */
export interface Stale {
  /** The delivery that every Trigger had before it was changed: the channel goes on delivering by it, too. */
  readonly changed?: Pick<Subscription, "policy">;
  /** Names of Triggers that were deleted: the channel goes on asking the filter for them. */
  readonly deleted?: readonly string[];
}

/** Where a broker's filter is reached. */
const filter = "http://broker-filter.knative-eventing.svc.cluster.local";

/**
 * Creates brokers whose channel has subscribers of Subscriptions that are gone, as the in-memory channel of Knative
 * 1.22 has when many Triggers were changed or deleted at once: its list of subscribers is written as a whole, from a
 * cache, and without a version. A Trigger that was changed is delivered for twice, the second time by its old
 * `delivery`; of one that was deleted the filter knows nothing, and answers 404 to every event of the broker. Every
 * Trigger is Ready all the same.
 */
export function staleSubscribers({ changed, deleted = [] }: Stale) {
  return (options: BrokerOptions, tools: PostTools): Broker => {
    const send: PostTools["send"] = async (url, request, signal): Promise<HttpResponse> =>
      url.startsWith(`${filter}/`) ? triggerGone : tools.send(url, request, signal);
    const broker = createBroker(options, { ...tools, send });
    return {
      ...broker,
      subscribe(present) {
        const [like] = present;
        const twice = changed ? present.map((subscription) => ({ ...subscription, ...changed })) : [];
        const gone = deleted.map((name): Subscription => {
          const { namespace } = options;
          const subscriber = `${filter}/triggers/${namespace}/${name}/00000000-0000-0000-0000-000000000000`;
          const before = { policy: { retry: 0, wait: () => 0 }, ...like };
          return { ...before, namespace, name, subscriber, filter: () => true };
        });
        broker.subscribe([...present, ...twice, ...gone]);
      },
    };
  };
}
