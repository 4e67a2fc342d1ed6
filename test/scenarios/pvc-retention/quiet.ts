import { expect } from "vitest";
import type { Story } from "../story.ts";
import { type PolicyName, policyNames } from "./policies.ts";
import { whole } from "./settings.ts";
import { annotateSet, runningSet } from "./words.ts";

/** The rules that ask the API server about an update of a set that changes nothing of concern to them, as its status does. */
const asking = {
  Retain: ["forgive", "grace", "project"],
  DeleteOnScaledownOnly: ["condemn", "grace", "own", "project"],
  DeleteOnStatefulSetDeletionOnly: ["grace", "own", "project"],
  DeleteOnScaledownAndStatefulSetDeletion: ["condemn", "grace", "own", "project"],
} as const satisfies Record<PolicyName, readonly string[]>;

/** What a set costs to which nothing happens that is of any concern. */
export const quiet: readonly Story[] = policyNames.map(
  (policy): Story => ({
    title: `${policy}: who has nothing to do with a set leaves its updates alone, and nobody writes`,
    within: true,
    settings: [whole],
    async tell(world) {
      await runningSet(world, { policy });
      await world.rest();
      const before = world.calls.length;
      await annotateSet(world, { "story.example/touched": "quiet" });
      await world.rest();
      const calls = world.calls.slice(before);
      expect([...new Set(calls.map(({ rule }) => rule))].sort()).toEqual(
        asking[policy].map((name) => `pvc-retention/${name}`),
      );
      expect(calls.filter(({ request }) => request.method !== "GET")).toEqual([]);
    },
  }),
);
