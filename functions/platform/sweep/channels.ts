import { isConflict, isNotFound } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** The channel behind a channel-based broker: `spec.subscribers` is whom it delivers to. */
export const InMemoryChannel = {
  apiVersion: "messaging.knative.dev/v1",
  kind: "InMemoryChannel",
  plural: "inmemorychannels",
  namespaced: true,
} as const satisfies Kind;

/** What Knative makes of each Trigger; its controller writes it into the channel, by the Subscription's uid. */
export const Subscription = {
  apiVersion: "messaging.knative.dev/v1",
  kind: "Subscription",
  plural: "subscriptions",
  namespaced: true,
} as const satisfies Kind;

interface Subscriber {
  readonly uid?: string;
  readonly name?: string;
  readonly subscriberUri?: string;
}

type Channel = KubernetesObject & { spec?: { subscribers?: readonly Subscriber[] } };

/**
 * Knative puts it on the channels that it makes for brokers. Others are made by people, and nobody would make them
 * anew.
 */
const brokerLabel = "eventing.knative.dev/broker";

/** A channel with subscribers that no Subscription has. */
export interface StaleChannel {
  readonly channel: KubernetesObject;
  /** The Triggers that the subscribers are from, sorted; the name of a subscriber where its address does not say. */
  readonly triggers: readonly string[];
}

/**
 * The brokers' channels of a namespace that still deliver to subscribers of Subscriptions that are gone. Knative 1.22
 * writes the whole list of subscribers from a cache and without a version, so that of several Triggers that change at
 * once one write may bring back what another has taken out; nothing takes it out again. None where Knative's channels
 * are not installed.
 *
 * A Subscription has a finalizer until it is out of the channel: a subscriber that is in the channel before and after
 * the Subscriptions were listed, and in none of them, is in nobody's hands.
 */
export async function findStaleChannels(client: Client, namespace: string): Promise<readonly StaleChannel[]> {
  const listChannels = () =>
    Array.fromAsync(client.list<Channel>(InMemoryChannel, { namespace, labelSelector: brokerLabel }));
  try {
    const before = new Map((await listChannels()).map((channel) => [channel.metadata.uid, uidsOf(channel)]));
    if ([...before.values()].every(({ size }) => size === 0)) return [];
    const subscriptions = new Set<string>();
    for await (const { metadata } of client.list(Subscription, { namespace, metadataOnly: true }))
      subscriptions.add(metadata.uid);
    return (await listChannels()).flatMap((channel) => {
      const known = before.get(channel.metadata.uid);
      const stale = subscribersOf(channel).filter(
        ({ uid }) => uid !== undefined && known?.has(uid) && !subscriptions.has(uid),
      );
      return stale.length > 0 ? [{ channel, triggers: [...new Set(stale.map(triggerOf))].sort() }] : [];
    });
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** What is wrong with the channel, and what to do, in two sentences. */
export function adviceOn({ channel, triggers }: StaleChannel): string {
  const { namespace, name } = channel.metadata;
  const who = triggers.length === 1 ? `the Trigger ${triggers[0]}` : `the Triggers ${triggers.join(", ")}`;
  return (
    `The channel ${name} still has subscribers of what ${who} said before: functions get events twice or, ` +
    "where a Trigger is gone, " +
    `every event of the broker fails. Run "kubectl -n ${namespace} delete inmemorychannel ${name}": ` +
    "Knative rebuilds it " +
    "within half a minute, and the sweep makes up for what was lost."
  );
}

/**
 * Deletes the channel as it was looked at, so that Knative's broker creates it anew with the subscribers that there
 * are. Returns what was done, in a sentence. Events in its memory are lost, which costs time until the next sweep.
 *
 * @throws ApiError when the server refuses
 */
export async function rebuild({ channel, triggers }: StaleChannel, client: Client): Promise<string> {
  const { namespace, name, uid, resourceVersion } = channel.metadata;
  try {
    await client.delete(InMemoryChannel, namespace, name, { uid, resourceVersion });
  } catch (error) {
    // Somebody is at work on it: the next tick looks again.
    if (!isConflict(error)) throw error;
    return (
      `The channel ${name} has just changed; whether it delivers to subscribers that are gone is looked at again ` +
      "with the next tick."
    );
  }
  return (
    `The channel ${name} delivered to subscribers that are gone (${triggers.join(", ")}) and was deleted, ` +
    "so that Knative rebuilds it."
  );
}

const subscribersOf = ({ spec }: Channel): readonly Subscriber[] => spec?.subscribers ?? [];

const uidsOf = (channel: Channel) => new Set(subscribersOf(channel).flatMap(({ uid }) => uid ?? []));

/** Channels deliver to a broker's filter, at `/triggers/<namespace>/<name>/<uid>`. */
function triggerOf({ subscriberUri = "", name = "", uid = "" }: Subscriber): string {
  return /\/triggers\/[^/]+\/([^/]+)\//.exec(subscriberUri)?.[1] ?? (name || uid);
}
