import { createHash } from "node:crypto";
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

type SubscriptionObject = KubernetesObject & {
  spec?: { channel?: { kind?: string; name?: string } };
  status?: {
    conditions?: readonly { readonly type: string; readonly status: string }[];
    physicalSubscription?: { subscriberUri?: string };
  };
};

/** Knative puts it on the channels that it makes for brokers. Channels that people make are theirs. */
const brokerLabel = "eventing.knative.dev/broker";

/** A channel whose list of subscribers is not what the Triggers want. */
export interface UnsoundChannel {
  readonly channel: KubernetesObject;
  /** The Triggers of which it still has a subscriber that no Subscription has, sorted. */
  readonly stale: readonly string[];
  /** The Triggers of which it lacks the subscriber, sorted. */
  readonly missing: readonly string[];
}

/** The channels behind the brokers of a namespace. */
export interface Channels {
  readonly unsound: readonly UnsoundChannel[];
  /**
   * Changes when a channel is a new one, or its list of subscribers has changed: events may have reached fewer
   * functions than they were meant for. 12 hexadecimal digits.
   */
  readonly fingerprint: string;
}

/**
 * Looks at the channels behind the brokers of a namespace. Knative 1.22 writes the whole list of subscribers from a
 * cache and without a version. Of several Triggers that change at once, one write may bring back what another has taken
 * out, or drop what another has added; the Triggers are Ready all the same. No channel where Knative's are not
 * installed.
 *
 * A Subscription has a finalizer until it is out of the channel, and is Ready once it is in it. So a subscriber is
 * stale, or missing, when the channel has it, or lacks it, both before and after the Subscriptions were listed.
 */
export async function lookAtChannels(client: Client, namespace: string): Promise<Channels> {
  const listChannels = () =>
    Array.fromAsync(client.list<Channel>(InMemoryChannel, { namespace, labelSelector: brokerLabel }));
  try {
    const before = await listChannels();
    const fingerprint = fingerprintOf(before);
    if (before.length === 0) return { unsound: [], fingerprint };
    const subscriptions = await Array.fromAsync(client.list<SubscriptionObject>(Subscription, { namespace }));
    const known = new Set(subscriptions.map(({ metadata }) => metadata.uid));
    const staleIn = (channel: Channel) =>
      subscribersOf(channel).filter(({ uid }) => uid !== undefined && !known.has(uid));
    const missingIn = (channel: Channel) => {
      const has = uidsOf(channel);
      return subscriptions.filter((one) => isWanted(one, channel) && !has.has(one.metadata.uid));
    };
    // What is right at the first look is right.
    const suspects = before.filter((channel) => staleIn(channel).length > 0 || missingIn(channel).length > 0);
    if (suspects.length === 0) return { unsound: [], fingerprint };
    const earlier = new Map(suspects.map((channel) => [channel.metadata.uid, uidsOf(channel)]));
    const unsound = (await listChannels()).flatMap((channel): readonly UnsoundChannel[] => {
      const had = earlier.get(channel.metadata.uid);
      if (!had) return [];
      const stale = staleIn(channel).filter(({ uid = "" }) => had.has(uid));
      const missing = missingIn(channel).filter(({ metadata: { uid } }) => !had.has(uid));
      if (stale.length === 0 && missing.length === 0) return [];
      return [{ channel, stale: sorted(stale.map(triggerOf)), missing: sorted(missing.map(triggerWanting)) }];
    });
    return { unsound, fingerprint };
  } catch (error) {
    if (isNotFound(error)) return { unsound: [], fingerprint: fingerprintOf([]) };
    throw error;
  }
}

/** The API server counts a channel's `generation` up with every change of its list of subscribers. */
function fingerprintOf(channels: readonly Channel[]): string {
  const states = channels.map(({ metadata: { name, uid, generation } }) => `${name} ${uid} ${generation ?? ""}`);
  return createHash("sha256").update(states.sort().join("\n")).digest("hex").slice(0, 12);
}

/**
 * What to do about channels, and what is wrong with them. The commands come first, because an Event is cut at 1,024
 * bytes.
 */
export function adviceOn(channels: readonly UnsoundChannel[]): readonly string[] {
  const [first] = channels;
  if (!first) return [];
  const names = channels.map(({ channel }) => channel.metadata.name);
  return [
    `Run \`kubectl -n ${first.channel.metadata.namespace} delete inmemorychannel ${names.join(" ")}\`. ` +
      "Knative rebuilds it, usually within half a minute. Changes that are made before it is rebuilt reach no " +
      "function until the next tick of the sweep, within five minutes, which sends an event for every object. " +
      "Until then, do not delete or scale down what you have just annotated.",
    ...channels.map(faultOf),
  ];
}

/** What is wrong with a channel, in a sentence or two. */
function faultOf({ channel: { metadata }, stale, missing }: UnsoundChannel): string {
  const sentences = [
    ...(missing.length > 0
      ? [`The channel ${metadata.name} delivers no event for ${triggersIn(missing)}, although they are Ready.`]
      : []),
    ...(stale.length > 0
      ? [
          `The channel ${metadata.name} still has former subscribers of ${triggersIn(stale)}. ` +
            "Functions get events twice, or, if a Trigger is gone, every event of the broker fails.",
        ]
      : []),
  ];
  return sentences.join(" ");
}

const triggersIn = (names: readonly string[]) =>
  names.length === 1 ? `the Trigger ${names[0]}` : `${names.length} Triggers (${names.join(", ")})`;

/**
 * Deletes the channel as it was looked at, so that Knative's broker creates it again with the subscribers that there
 * are. Returns what was done, in a sentence or two. Events in its memory are lost, and what changes until Knative has
 * rebuilt it reaches no function: the next tick resyncs everything.
 *
 * @throws ApiError when the server refuses
 */
export async function rebuild({ channel, stale, missing }: UnsoundChannel, client: Client): Promise<string> {
  const { namespace, name, uid, resourceVersion } = channel.metadata;
  try {
    await client.delete(InMemoryChannel, namespace, name, { uid, resourceVersion });
  } catch (error) {
    // Knative is at work on it: the next tick looks again.
    if (!isConflict(error)) throw error;
    return `The channel ${name} has just changed. The next tick looks again whether its subscribers are right.`;
  }
  const faults = [
    ...(stale.length > 0 ? [`delivered to subscribers that are gone (${stale.join(", ")})`] : []),
    ...(missing.length > 0 ? [`delivered no event for ${triggersIn(missing)}`] : []),
  ];
  return (
    `The channel ${name} was deleted, so that Knative rebuilds it, because it ${faults.join(" and ")}. ` +
    "The next tick of the sweep, within five minutes, sends an event for every object. Until then, do not delete or " +
    "scale down what you have just annotated."
  );
}

const subscribersOf = ({ spec }: Channel): readonly Subscriber[] => spec?.subscribers ?? [];

const uidsOf = (channel: Channel) => new Set(subscribersOf(channel).flatMap(({ uid }) => uid ?? []));

const sorted = (names: readonly string[]) => [...new Set(names)].sort();

/** Whether a Subscription says that it is in the channel. */
function isWanted({ metadata, spec, status }: SubscriptionObject, channel: Channel): boolean {
  const isReady = status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  const { kind, name } = spec?.channel ?? {};
  return isReady && !metadata.deletionTimestamp && kind === InMemoryChannel.kind && name === channel.metadata.name;
}

/** Channels deliver to a broker's filter, at `/triggers/<namespace>/<name>/<uid>`. */
function triggerOf({ subscriberUri = "", name = "", uid = "" }: Subscriber): string {
  return /\/triggers\/[^/]+\/([^/]+)\//.exec(subscriberUri)?.[1] ?? (name || uid);
}

/** A Subscription belongs to its Trigger, and is delivered to at the same address. */
function triggerWanting({ metadata: { name, uid, ownerReferences }, status }: SubscriptionObject): string {
  const owner = ownerReferences?.find(({ kind }) => kind === "Trigger")?.name;
  return owner ?? triggerOf({ name, uid, ...status?.physicalSubscription });
}
