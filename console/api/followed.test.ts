import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { isListed, keyOf } from "./followed.ts";
import type { Selection } from "./list.ts";

const there = { resourceVersion: "5", objects: new Map([["uid-1", { metadata: { name: "one", uid: "uid-1" } }]]) };
const none = { resourceVersion: "5", objects: new Map() };
const kind = PersistentVolume;

test.each([
  ["a list of all has it", {}, there, true],
  ["a list of all does not have it", {}, none, false],
  ["the list of its name does not have it", { fieldSelector: "metadata.name=one" }, none, false],
  ["a list that a label selects has it", { labelSelector: "kept" }, there, true],
  ["a list that a label selects does not have it", { labelSelector: "kept" }, none, undefined],
  ["the list of another name does not have it", { fieldSelector: "metadata.name=two" }, none, undefined],
  ["the list is not read", {}, undefined, undefined],
  ["no list is shown", undefined, undefined, undefined],
] as const)("whether an object is there, as far as the page knows: %s", (_, options, listed, known) => {
  const cache = new QueryClient();
  const selection: Selection | undefined = options && { kind, ...options };
  if (selection && listed) cache.setQueryData(keyOf(selection), listed);
  const queryFn = () => new Promise<never>(() => {});
  const shown =
    selection && new QueryObserver(cache, { queryKey: keyOf(selection), queryFn, staleTime: Number.POSITIVE_INFINITY });
  const stop = shown?.subscribe(() => {});
  expect(isListed(cache, { kind, name: "one", uid: "uid-1" })).toBe(known);
  stop?.();
});
