import { describe, expect, test } from "vitest";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { nextProgress, progressKey } from "../../../shared/progress.ts";
import type { StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { claimOf, lookedAt, noon, reference, setOf } from "../../../shared/retention/testing/objects.ts";
import { lackedClaim, nudgedFor, setThatLacks } from "./nudge.ts";
import { condemn } from "./rule.ts";

const policy = "DeleteOnScaledownOnly";
const selector = { matchLabels: { app: "web" } };
const labelled = [{ metadata: { name: "data", labels: { app: "web" } } }];
/** A set of three replicas. */
const set = (metadata: object = {}, replicas = 1): StatefulSet => ({
  ...setOf({ policy, ...metadata }, { replicas: 3, selector, volumeClaimTemplates: labelled }),
  status: { replicas },
});
/** The set after it was nudged so often for its claim 2, and when it may be again. */
function nudged(attempt: number, next = noon): StatefulSet {
  const step = { name: "nudged", attempt, details: { claim: "data-web-2" } };
  return set({
    annotations: { [progressKey(condemn.name)]: nextProgress(set(), condemn.name, step, "So.", noon, next) ?? "" },
  });
}
const decide = (one: StatefulSet, claims = [claimOf(0)], missing: string | undefined = "data-web-2") =>
  condemn
    .decide(
      {
        ...lookedAt(
          one,
          claims.map((claim) => ({ claim })),
        ),
        missing,
      },
      noon,
      {},
    )
    .at(-1);

describe("a set that wants a claim that went", () => {
  test("is changed, so that its controller looks again, and once more when that was not enough", () => {
    expect(decide(set())).toMatchObject({ do: "wait", step: { name: "nudged", attempt: 1 }, next: noon + 15_000 });
    expect(decide(nudged(1))).toMatchObject({ step: { attempt: 2 } });
  });

  test("is given time, and is given up in the end", () => {
    expect(decide(nudged(1, noon + 1))).not.toHaveProperty("step");
    expect(decide(nudged(4))).toMatchObject({ do: "leave" });
  });

  test.each<[string, StatefulSet, ReturnType<typeof claimOf>[]]>([
    ["the claim is there again", nudged(1), [claimOf(0), claimOf(2)]],
    ["all its pods are there", { ...nudged(1), status: { replicas: 3 } }, [claimOf(0)]],
    ["it does not want the replica any more", { ...nudged(1), spec: { ...set().spec, replicas: 2 } }, [claimOf(0)]],
    [
      "its policy has changed",
      {
        ...nudged(1),
        metadata: {
          ...nudged(1).metadata,
          annotations: { "holdfast.dev/pvc-delete-policy": "DeleteOnStatefulSetDeletionOnly" },
        },
      },
      [claimOf(0)],
    ],
  ])("is left alone, and the note on it goes, when %s", (_, one, claims) => {
    expect(decide(one, claims)).toMatchObject({ do: "leave", about: { kind: "StatefulSet" } });
  });

  test("is left alone when it is being deleted", () => {
    expect(decide(set({ deletionTimestamp: "2026-03-01T11:59:00Z" }))).toBeUndefined();
  });

  test("is found by its note when the sweep comes", () => {
    expect(nudgedFor(nudged(1), condemn.name)).toBe("data-web-2");
    expect(nudgedFor(set(), condemn.name)).toBeUndefined();
  });
});

describe("a set that has its turn in the sweep", () => {
  const short = (status: object, spec: object = {}) => ({
    ...setOf({ policy, generation: 4 }, { replicas: 3, selector, volumeClaimTemplates: labelled, ...spec }),
    status: { observedGeneration: 4, replicas: 2, readyReplicas: 2, ...status },
  });
  const lacked = (one: StatefulSet, ...ordinals: number[]) =>
    lackedClaim(
      lookedAt(
        one,
        ordinals.map((ordinal) => ({ claim: claimOf(ordinal) })),
      ),
    );

  test.each<[string, string | undefined, StatefulSet, number[]]>([
    ["lacks the claim of a replica that is not there", "data-web-2", short({}), [0, 1]],
    ["lacks one in the middle", "data-web-1", short({}), [0, 2]],
    ["lacks one from ordinals.start on", "data-web-7", short({}, { ordinals: { start: 5 } }), [5, 6]],
    ["lacks the only one", "data-web-0", short({ replicas: 0, readyReplicas: undefined }, { replicas: 1 }), []],
    ["lacks none while a pod is not ready", undefined, short({ readyReplicas: 1 }), [0, 1]],
    ["lacks none while its controller has not seen it", undefined, short({ observedGeneration: 3 }), [0, 1]],
    ["lacks none when all pods are there", undefined, short({ replicas: 3, readyReplicas: 3 }), [0, 1]],
    ["lacks none when all claims are there", undefined, short({}), [0, 1, 2]],
    ["lacks none without templates", undefined, short({}, { volumeClaimTemplates: [] }), []],
  ])("%s", (_, expected, one, ordinals) => {
    expect(lacked(one, ...ordinals)).toBe(expected);
  });

  test("is known from one that has merely changed", () => {
    const hint = {
      id: "e",
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      namespace: "shop",
      name: "web",
      object: undefined,
    } as const;
    expect(condemn.subjects({ ...hint, change: "sweep" }, {})).toMatchObject([{ turn: true }]);
    expect(condemn.subjects({ ...hint, change: "update" }, {})).toMatchObject([{ turn: false }]);
  });
});

describe("the set that lacks a claim", () => {
  const find = (claim: string, ...sets: StatefulSet[]) => {
    const client = {
      async *list() {
        yield* sets;
      },
    } as unknown as Client;
    return setThatLacks(client, "shop", claim);
  };
  const rival: StatefulSet = {
    ...setOf({ name: "b-web" }, { replicas: 3, volumeClaimTemplates: [{ metadata: { name: "a" } }] }),
  };
  const contested: StatefulSet = setOf({}, { replicas: 3, volumeClaimTemplates: [{ metadata: { name: "a-b" } }] });

  test.each<[string, string | undefined, string, StatefulSet[]]>([
    ["is the one whose template yields it", "web", "data-web-2", [rival, set()]],
    ["is none when the replica is not wanted", undefined, "data-web-3", [set()]],
    ["is none when no template yields it", undefined, "log-web-0", [set()]],
    ["is none when two sets yield it", undefined, "a-b-web-0", [rival, contested]],
  ])("%s", async (_, expected, claim, sets) => {
    expect(await find(claim, ...sets)).toBe(expected);
  });
});

test.each<[string, object | undefined, number]>([
  ["that went with its pod", { ownerReferences: [reference("Pod", "web-2", "p2")] }, 1],
  ["that went with its set", { ownerReferences: [reference("StatefulSet", "web", "u1")] }, 0],
  ["that nobody owned", {}, 0],
  ["of which only the name is known", undefined, 1],
])("a claim %s", (_, metadata, count) => {
  const hint: Hint = {
    id: "e",
    change: "delete",
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name: "data-web-2",
    object: metadata && claimOf(2, metadata),
  };
  expect(condemn.subjects(hint, {})).toHaveLength(count);
});
