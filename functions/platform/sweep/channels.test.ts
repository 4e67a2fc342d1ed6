import { expect, test } from "vitest";
import { parseLabelSelector } from "../../../local/apiserver/selector/label-selector.ts";
import type { Client, ListOptions } from "../../../shared/kubernetes/client.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { recordedChannel } from "../../../test/contract/knative/recorded.ts";
import { InMemoryChannel, lookAtChannels } from "./channels.ts";

const { channel, subscriptions } = recordedChannel();

/** A client that lists these channels, and the Subscriptions that were there when the recorded one was stale. */
const listing = (channels: readonly (typeof channel)[]) =>
  ({
    async *list(kind: Kind, { labelSelector = "" }: ListOptions = {}) {
      const selects = parseLabelSelector(labelSelector);
      if (kind === InMemoryChannel) yield* channels.filter(({ metadata }) => selects(metadata.labels ?? {}));
      else yield* subscriptions.map((uid) => ({ metadata: { uid } }));
    },
  }) as unknown as Client;

test("the recorded channel is stale", async () => {
  const [found, ...more] = (await lookAtChannels(listing([channel]), "holdfast")).unsound;
  expect(more).toEqual([]);
  expect(found?.channel.metadata.name).toBe("storage-kne-trigger");
  expect(found?.stale.length).toBeGreaterThan(0);
  expect(found?.missing).toEqual([]);
});

test("a channel that is right is listed once, and one that is not once more", async () => {
  const { subscribers } = channel.spec as { subscribers: { uid: string }[] };
  const right = { ...channel, spec: { subscribers: subscribers.filter(({ uid }) => subscriptions.includes(uid)) } };
  for (const [one, times] of [
    [right, 1],
    [channel, 2],
  ] as const) {
    const { list, ...rest } = listing([one]);
    let lists = 0;
    const counting = {
      ...rest,
      list: (kind: Kind, options: ListOptions) => {
        if (kind === InMemoryChannel) lists++;
        return list(kind, options);
      },
    };
    await lookAtChannels(counting as Client, "holdfast");
    expect(lists).toBe(times);
  }
});

test("a channel that Knative has not made for a broker is left alone: Knative would not rebuild it", async () => {
  const { labels: _, ownerReferences: __, ...metadata } = channel.metadata;
  const byHand = { ...channel, metadata: { ...metadata, name: "by-hand", uid: "1" } };
  expect((await lookAtChannels(listing([byHand]), "holdfast")).unsound).toEqual([]);
});
